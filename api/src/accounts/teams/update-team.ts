import { operation } from '../../platform/http/operation.js'
import { Team, TeamParams, TeamRequest } from './team.shape.js'
import { ownTeam, teamOf } from './team.store.js'

export const updateTeam = operation({
  method: 'PATCH',
  url: '/teams/:id',
  operationId: 'updateTeam',
  tags: ['teams'],
  summary: 'Change the name of your team',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  params: TeamParams,
  body: TeamRequest,
  examples: { 'Another name': { name: 'Bilkent University' } },
  record: Team,
  response: { 200: Team },
  errors: ['not_found'],
  handler: (ctx, { params, body }) => {
    const [team, name] = [ownTeam(ctx, params.id), body.name.trim()]
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const before = await teamOf(tx, team)
      await tx.updateTable('teams').set({ name }).where('id', '=', team).execute()
      await tx.audit({ action: 'updateTeam', subject: String(team), before: { name: before.name }, after: { name } })
      return tx.answer({ ...before, name })
    })
  },
})
