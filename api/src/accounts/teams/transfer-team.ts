import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { endHoldings, FamilyKey, keysThatStay, seeSubAccounts } from './holdings.store.js'
import { lockMembers, setRole } from './member.store.js'
import { Team, TeamParams } from './team.shape.js'
import { ownTeam, teamOf } from './team.store.js'

export const transferTeam = operation({
  method: 'POST',
  url: '/teams/:id/transfer',
  operationId: 'transferTeam',
  tags: ['teams'],
  summary: 'Give your team to another of its people',
  description:
    'A team has exactly one owner; the one before becomes an administrator, and what that person holds by the old role ends: temporary keys, and invitations that nobody accepted. `keys` lists the keys with the role of an owner: whoever has one can do what an owner can, so revoke those of others.',
  auth: 'account',
  role: 'owner',
  tenancy: 'owned',
  params: TeamParams,
  body: Type.Object({
    userId: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The member who becomes the owner',
    }),
    revokeKeys: Type.Boolean({ default: false, description: 'true: all keys with the role of an owner are revoked' }),
  }),
  examples: { 'To a colleague': { userId: EXAMPLE.number } },
  response: {
    200: Type.Object({
      ...Team.properties,
      keys: Type.Array(FamilyKey, { description: 'The keys with the role of an owner that stay' }),
    }),
  },
  errors: ['not_found'],
  handler: async (ctx, { params, body: { userId, revokeKeys } }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const { team_owner_id: before } = await teamOf(tx, team)
      const [next, owner] = await lockMembers(tx, ctx, before === null ? [userId] : [userId, before])
      if (next?.role === 'owner') throw new ApiError('conflict', 'The person is the owner already')
      if (owner && owner.role !== 'owner') throw new ApiError('conflict', 'The team went to another owner just now')
      if (owner) {
        await setRole(tx, team, { id: owner.id, before: 'owner', role: 'administrator' })
        await seeSubAccounts(tx, team)
        endHoldings(tx, owner.id, team, ctx.clock.now())
      }
      await setRole(tx, team, { id: userId, before: next?.role ?? 'member', role: 'owner' })
      const keys = await keysThatStay(tx, ctx, { of: { role: 'owner' }, revokeKeys })
      await tx.audit({
        action: 'transferTeam',
        subject: String(team),
        before: { owner: before },
        after: { owner: userId },
      })
      tx.notify('team_transferred', { from: before, to: userId })
      return tx.answer({ ...(await teamOf(tx, team)), keys })
    })
  },
})
