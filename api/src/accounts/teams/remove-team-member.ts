import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { ApiKey } from '../keys/key.shape.js'
import { endHoldings, familyScope, keysThatStay, lockMember, removeMember } from './member.store.js'
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
    'The person’s sessions in the team and temporary keys end within a second, and invitations by the person that nobody accepted. Keys of the team outlive their maker: `keys` lists those that stay. The owner cannot be removed.',
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
    200: Type.Object({ keys: Type.Array(ApiKey, { description: 'The keys that the person made, and that stay' }) }),
  },
  errors: ['not_found'],
  handler: async (ctx, { params, query: { revokeKeys } }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(await familyScope(ctx), async (tx) => {
      const { id, role } = await lockMember(tx, team, params.user_id)
      if (role === 'owner') throw new ApiError('conflict', 'The owner stays: transfer the team first')
      await endHoldings(tx, id, ctx.clock.now())
      const keys = await keysThatStay(tx, ctx, { isOfConcern: ({ createdBy }) => createdBy === id, revokeKeys })
      await removeMember(tx, ctx, team, id)
      await tx.audit({ action: 'removeTeamMember', subject: String(id), before: { role } })
      await tx.emit('team_member_delete', { id, role }, team, memberResource(id))
      tx.notify('member_removed', { userId: id, keysThatStay: keys.length })
      return tx.answer({ keys })
    })
  },
})
