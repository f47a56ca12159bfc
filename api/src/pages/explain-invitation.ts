import { type Static, Type } from 'typebox'
import { MOST_TOKEN } from '../ecosystems/invitations/invitation.shape.js'
import { HTML, wantsPage } from '../platform/http/accept.js'
import { operation } from '../platform/http/operation.js'
import { invitationFacts } from './invitation-facts.js'
import { invitationHeaders, invitationPage, invitationRefusals } from './invitation-page.js'
import { wordsFor } from './words.js'

const Explanation = Type.Object({ message: Type.String({ description: 'The thing to do with the link' }) })

/** The target of an invitation's link when no website stands before this service. */
export const explainInvitation = operation({
  method: 'GET',
  url: '/ecosystems',
  operationId: 'explainInvitation',
  tags: ['pages'],
  summary: 'Show an invitation to whoever opens its link',
  description:
    'A page in HTML for browsers (`Accept: text/html`), in the language that `Accept-Language` prefers of English and Turkish: who invites to what until when, and how to accept. 410 for an invitation that is over: expired, accepted, declined, or of an ecosystem that changed hands or was removed; 404 for what is none. Programs get a sentence, and nothing of the token is looked at.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  querystring: Type.Object({
    token: Type.Optional(Type.String({ maxLength: MOST_TOKEN, description: 'The token of the invitation' })),
  }),
  response: { 200: Type.Unsafe<Static<typeof Explanation> | string>(Explanation) },
  errors: ['not_found', 'gone', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  mediaTypes: ['application/json', HTML],
  refusals: invitationRefusals,
  handler: async (ctx, { query }) => {
    const isPage = wantsPage(ctx.accept)
    const words = wordsFor(ctx.acceptLanguage)
    for (const [name, value] of Object.entries(invitationHeaders(isPage ? words : undefined)))
      ctx.reply.header(name, value)
    if (!isPage) return { message: MESSAGE }
    const facts = await invitationFacts(ctx, query.token ?? '', words)
    ctx.reply.type(`${HTML}; charset=utf-8`)
    return invitationPage(facts, words)
  },
})

const MESSAGE =
  'This is an invitation to an ecosystem. To accept it, send this link as `token` with your DID to POST /trust-registries/invitations/accept; to decline it, send the link to POST /trust-registries/invitations/decline. In a browser the link shows who invites to what.'
