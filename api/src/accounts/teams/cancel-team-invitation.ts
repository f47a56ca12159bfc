import { operation } from '../../platform/http/operation.js'
import { lockOpenInvitation } from './invitation.store.js'
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
      tx.defer(
        tx.updateTable('team_invitations').set({ status: 'canceled' }).where('team_id', '=', team).where('id', '=', id),
      )
      await tx.audit({
        action: 'cancelTeamInvitation',
        subject: String(id),
        before: { status: 'pending' },
        after: { status: 'canceled' },
      })
      return tx.answer(DONE)
    })
  },
})
