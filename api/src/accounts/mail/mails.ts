import type { Config } from '../../config.js'
import type { Mail } from './mail.store.js'

/** The token stands after #, which browsers send to no server and no log. */
const linkTo = ({ webUrl }: Pick<Config, 'webUrl'>, path: string, token: string): string =>
  `${webUrl}/${path}#token=${token}`

/** A name that a stranger chose: in a mail of ours it is letters and digits, never a link. */
export const harmless = (name: string | null): string =>
  (name ?? '')
    .replace(/[^\p{L}\p{M}\p{N} '&-]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, 80) || 'a team without a name'

export const signInMail = (config: Pick<Config, 'webUrl'>, to: string, token: string): Mail => ({
  to,
  subject: 'Sign in to Accredit',
  text: `Open this link within 15 minutes to sign in; it works once:

${linkTo(config, 'sign-in', token)}

If you did not ask for it, ignore this mail: nothing happens without the link.
`,
})

export const invitationMail = (
  config: Pick<Config, 'webUrl'>,
  { to, team, token }: { to: string; team: string | null; token: string },
): Mail => ({
  to,
  subject: 'Invitation to a team in Accredit',
  text: `You are invited to the team "${harmless(team)}".

Sign in with this address, then open this link within 7 days:

${linkTo(config, 'team-invitation', token)}

If you do not know the team, ignore this mail.
`,
})
