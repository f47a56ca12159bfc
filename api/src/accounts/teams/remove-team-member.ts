import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { endHoldings, FamilyKey, keysThatStay, seeSubAccounts } from './holdings.store.js'
import { lockMember, removeMember } from './member.store.js'
import { memberResource } from './team.events.js'
import { MemberParams } from './team.shape.js'
import { ownTeam } from './team.store.js'

export const removeTeamMember = operation({
  method: 'DELETE',
  url: '/teams/:id/members/:user_id',
  operationId: 'removeTeamMember',
  tags: ['teams'],
  summary: 'Remove a person from your team',
  description:
    'The person’s sessions in the team and temporary keys end within a second, and invitations by the person that nobody accepted. Keys of the team and of its sub-accounts outlive their maker: `keys` lists those that stay. The owner cannot be removed, and nobody removes themselves: 409. Whoever wants to leave deletes their account (POST /data/accountdelete), or asks another administrator.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: MemberParams,
  querystring: Type.Object({
    revokeKeys: Type.Boolean({
      default: false,
      description: 'true: the keys that the person made are revoked too, but for those with a greater role than yours',
    }),
  }),
  response: {
    200: Type.Object({ keys: Type.Array(FamilyKey, { description: 'The keys that the person made, and that stay' }) }),
  },
  errors: ['not_found'],
  handler: async (ctx, { params, query: { revokeKeys } }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const { id, role } = await lockMember(tx, ctx, params.user_id)
      if (role === 'owner') throw new ApiError('conflict', 'The owner stays: transfer the team first')
      if (id === ctx.principal.userId)
        throw new ApiError('conflict', 'Nobody removes themselves: another administrator, or the owner, does it')
      await seeSubAccounts(tx, team)
      endHoldings(tx, id, team, ctx.clock.now())
      const keys = await keysThatStay(tx, ctx, { of: { createdBy: id }, revokeKeys })
      await removeMember(tx, ctx, team, id)
      await tx.audit({ action: 'removeTeamMember', subject: String(id), before: { role } })
      await tx.emit('team_member_delete', { id, role }, team, memberResource(id))
      tx.notify('member_removed', { userId: id, keysThatStay: keys.length })
      return tx.answer({ keys })
    })
  },
})
