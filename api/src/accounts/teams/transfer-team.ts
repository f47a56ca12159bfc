import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { ApiKey } from '../keys/key.shape.js'
import { endHoldings, familyScope, keysThatStay, lockMember, setRole } from './member.store.js'
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
      keys: Type.Array(ApiKey, { description: 'The keys with the role of an owner that stay' }),
    }),
  },
  errors: ['not_found'],
  handler: async (ctx, { params, body: { userId, revokeKeys } }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(await familyScope(ctx), async (tx) => {
      const { team_owner_id: before } = await teamOf(tx, team)
      const next = await lockMember(tx, team, userId)
      if (next.role === 'owner') throw new ApiError('conflict', 'The person is the owner already')
      if (before !== null) {
        await lockMember(tx, team, before)
        await setRole(tx, team, { id: before, before: 'owner', role: 'administrator' })
        await endHoldings(tx, before, ctx.clock.now())
      }
      await setRole(tx, team, { id: userId, before: next.role, role: 'owner' })
      const keys = await keysThatStay(tx, ctx, { isOfConcern: ({ role }) => role === 'owner', revokeKeys })
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
