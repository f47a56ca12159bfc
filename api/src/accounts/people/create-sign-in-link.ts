import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { attemptsOfEach } from '../../platform/security/attempts.js'
import { networkOf } from '../../platform/security/client-address.js'
import { KEY_PREFIX } from '../../platform/security/key-prefix.js'
import { deliverSoon } from '../mail/deliver-mails.js'
import { queueMail } from '../mail/mail.store.js'
import { signInMail } from '../mail/mails.js'
import { Email, emailOf } from '../teams/team.shape.js'
import { LINK_MS, storeLink } from './sign-in.store.js'

const HOUR = 3600
/** From one network: a stranger who asks for somebody's links takes none from the person, who is elsewhere. */
const TO_ONE_ADDRESS = { most: 5, what: 'links for this address', windowSeconds: HOUR }
const TO_ONE_ADDRESS_FROM_ALL = { ...TO_ONE_ADDRESS, most: 30 }
const FROM_ONE_NETWORK = { most: 60, what: 'links from here', windowSeconds: HOUR }

const attemptsOf = attemptsOfEach()

export const createSignInLink = operation({
  method: 'POST',
  url: '/auth/links',
  operationId: 'createSignInLink',
  tags: ['teams'],
  summary: 'Get a link by e-mail that signs you in',
  description:
    'For a new person it signs up. It works once, for 15 minutes: its token goes to POST /auth/sessions. The answer is the same for every address, whether somebody is known by it or not.',
  auth: 'public',
  tenancy: 'system',
  body: Type.Object({ email: Email }),
  examples: { 'An address': { email: 'registrar@example.org' } },
  response: { 200: NothingToSay },
  limits: { bodyBytes: 4096, concurrencyPerAddress: 4 },
  handler: async (ctx, { body }) => {
    const [email, now] = [emailOf(body.email), ctx.clock.now()]
    const network = networkOf(ctx)
    const attempts = attemptsOf(ctx)
    attempts.begin(`from ${network}`, now, FROM_ONE_NETWORK)
    attempts.begin(`to ${email} from ${network}`, now, TO_ONE_ADDRESS)
    attempts.begin(`to ${email}`, now, TO_ONE_ADDRESS_FROM_ALL)
    const token = KEY_PREFIX.once[ctx.config.environment] + ctx.random.hex(32)
    const expires = new Date(now.getTime() + LINK_MS)
    await ctx.db.transaction('system', async (tx) => {
      storeLink(tx, { token, email, expires })
      queueMail(tx, ctx, signInMail(ctx.config, email, token), { expires, team: null })
      tx.afterCommit(() => deliverSoon(ctx))
    })
    return {}
  },
})
