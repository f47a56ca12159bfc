import { operation } from '../../platform/http/operation.js'
import { cancelInvitation, lockOpenInvitation } from './invitation.store.js'
import { DONE, Done, InvitationParams } from './team.shape.js'
import { ownTeam } from './team.store.js'

export const cancelTeamInvitation = operation({
  method: 'POST',
  url: '/teams/:id/invitations/:invitation_id/cancel',
  operationId: 'cancelTeamInvitation',
  tags: ['teams'],
  summary: 'Cancel an invitation that nobody accepted yet',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: InvitationParams,
  response: { 200: Done },
  errors: ['not_found'],
  handler: (ctx, { params }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const { id } = await lockOpenInvitation(tx, team, params.invitation_id)
      await cancelInvitation(tx, { id, team })
      return tx.answer(DONE)
    })
  },
})
