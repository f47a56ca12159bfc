import { operation } from '../../platform/http/operation.js'
import { Team, TeamParams } from './team.shape.js'
import { ownTeam, teamOf } from './team.store.js'

export const getTeam = operation({
  method: 'GET',
  url: '/teams/:id',
  operationId: 'getTeam',
  tags: ['teams'],
  summary: 'Get your team',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  params: TeamParams,
  response: { 200: Team },
  errors: ['not_found'],
  handler: (ctx, { params }) => ctx.db.read(ctx.scope, (reader) => teamOf(reader, ownTeam(ctx, params.id))),
})
