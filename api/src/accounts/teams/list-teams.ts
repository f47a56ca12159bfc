import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { Team } from './team.shape.js'
import { teamOf, teamsOfPerson } from './team.store.js'

export const listTeams = operation({
  method: 'GET',
  url: '/teams',
  operationId: 'listTeams',
  tags: ['teams'],
  summary: 'List your teams',
  description: 'With a session, those of the person, newest first; with a key, the one that it is of.',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: { 200: Type.Array(Team) },
  handler: async (ctx, { query }) => {
    const { principal, team } = ctx
    if (principal.kind === 'session')
      return ctx.db.read('system', (reader) => teamsOfPerson(reader, principal.userId, query))
    const own = await ctx.db.read(ctx.scope, (reader) => teamOf(reader, team))
    return query.offset === 0 ? [own] : []
  },
})
