import { Type } from 'typebox'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { tellDeclined } from '../events/invitation-events.js'
import { takeInvitation } from '../participants/participant.store.js'
import { InvitationToken } from './invitation.shape.js'
import { parseInvitation, refuseTaken, tokenUsed } from './invitations.js'

export const declineInvitation = operation({
  method: 'POST',
  url: '/trust-registries/invitations/decline',
  operationId: 'declineInvitation',
  tags: ['trustRegistries'],
  summary: 'Decline an invitation; its token cannot be used any more',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  body: Type.Object({
    token: InvitationToken,
    maxAge: Type.Optional(Type.Integer({ minimum: 0, description: 'Ignored: what is declined stays declined' })),
  }),
  examples: { 'The token of the link': { token: EXAMPLE.token } },
  response: { 200: NothingToSay },
  errors: ['invite_token_used', 'invite_token_expired'],
  handler: async (ctx, { body }) => {
    if (body.maxAge !== undefined) ctx.ignore(['/maxAge'])
    const invitation = await parseInvitation(ctx, body.token)
    await refuseTaken(ctx, invitation)
    const { nonce, id: registry_id, team } = invitation
    return ctx.db.transaction({ ...ctx.scope, teams: [ctx.team, team] }, async (tx) => {
      const use = {
        nonce,
        registry_id,
        team_id: ctx.team,
        use: 'declined',
        job_id: null,
        created: ctx.clock.now(),
      } as const
      if (!(await takeInvitation(tx, use))) throw tokenUsed()
      await tellDeclined(tx, { id: nonce, registryId: registry_id, team })
      await tx.audit({ action: 'declineInvitation', subject: registry_id, after: { nonce, use: 'declined' } })
      return tx.answer({})
    })
  },
})
