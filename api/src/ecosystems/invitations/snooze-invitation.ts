import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { InvitationToken } from './invitation.shape.js'
import { parseInvitation, refuseTaken } from './invitations.js'

export const snoozeInvitation = operation({
  method: 'POST',
  url: '/trust-registries/invitations/snooze',
  operationId: 'snoozeInvitation',
  tags: ['trustRegistries'],
  summary: 'Decide on an invitation later; it stays as it is until it expires',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  body: Type.Object({
    token: InvitationToken,
    maxAge: Type.Optional(Type.Integer({ minimum: 0, description: 'Ignored: nobody is reminded' })),
  }),
  examples: { 'The token of the link': { token: EXAMPLE.token } },
  response: { 200: NothingToSay },
  errors: ['invite_token_used', 'invite_token_expired'],
  handler: async (ctx, { body }) => {
    if (body.maxAge !== undefined) ctx.ignore(['/maxAge'])
    await refuseTaken(ctx, await parseInvitation(ctx, body.token))
    return {}
  },
})
