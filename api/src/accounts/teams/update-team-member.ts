import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { endHoldings, seeSubAccounts } from './holdings.store.js'
import { lockMember, setRole } from './member.store.js'
import { GivenRole, MemberParams, TeamMember } from './team.shape.js'
import { ownTeam } from './team.store.js'

export const updateTeamMember = operation({
  method: 'PATCH',
  url: '/teams/:id/members/:user_id',
  operationId: 'updateTeamMember',
  tags: ['teams'],
  summary: 'Change the role of a person in your team',
  description:
    'Sessions have the new role a second later. A smaller role ends the person’s temporary keys, and invitations that nobody accepted.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: MemberParams,
  body: Type.Object({ role: GivenRole }),
  examples: { 'An administrator': { role: 'administrator' } },
  record: TeamMember,
  response: { 200: TeamMember },
  errors: ['not_found'],
  handler: (ctx, { params, body: { role } }) => {
    const team = ownTeam(ctx, params.id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const before = await lockMember(tx, ctx, params.user_id)
      if (before.role === 'owner') throw new ApiError('conflict', 'The role of the owner goes over by a transfer')
      await setRole(tx, team, { id: before.id, before: before.role, role })
      if (role === 'member') {
        await seeSubAccounts(tx, team)
        endHoldings(tx, before.id, team, ctx.clock.now())
      }
      await tx.audit({
        action: 'updateTeamMember',
        subject: String(before.id),
        before: { role: before.role },
        after: { role },
      })
      return tx.answer({ ...before, role }, before.email ? [before.email] : [])
    })
  },
})
