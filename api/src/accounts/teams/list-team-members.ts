import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { membersOf } from './member.store.js'
import { TeamMember, TeamParams } from './team.shape.js'
import { ownTeam } from './team.store.js'

export const listTeamMembers = operation({
  method: 'GET',
  url: '/teams/:id/members',
  operationId: 'listTeamMembers',
  tags: ['teams'],
  summary: 'List the people of your team',
  description: 'Those who joined last come first.',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  params: TeamParams,
  querystring: pageQuery(),
  response: { 200: Type.Array(TeamMember) },
  errors: ['not_found'],
  handler: (ctx, { params, query }) =>
    ctx.db.read(ctx.scope, (reader) => membersOf(reader, ownTeam(ctx, params.id), query)),
})
