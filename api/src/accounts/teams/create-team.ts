import { lockByName } from '../../platform/database/lock-by-name.js'
import { ApiError } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { insertOwnedTeam } from '../people/person.store.js'
import { holdStanding } from '../standing.js'
import { Team, TeamRequest } from './team.shape.js'
import { teamOf, teamsOfPerson } from './team.store.js'

/** The most teams that a person is in when another one is made. */
const MOST_TEAMS = 100

export const createTeam = operation({
  method: 'POST',
  url: '/teams',
  operationId: 'createTeam',
  tags: ['teams'],
  summary: 'Make a team of your own',
  description:
    'You are its owner. Your session goes on in its own team: open one in the new team with POST /auth/sessions.',
  auth: 'session',
  role: 'member',
  tenancy: 'system',
  body: TeamRequest,
  examples: { 'A company': { name: 'Bilkent University' } },
  record: Team,
  response: { 200: Team },
  errors: ['too_many'],
  handler: async (ctx, { body: { name } }) => {
    const { userId } = ctx.principal
    return ctx.db.transaction('system', async (tx) => {
      await holdStanding(tx, ctx)
      await lockByName(tx, `service.teams of ${userId}`)
      const own = await teamsOfPerson(tx, userId, { offset: 0, limit: MOST_TEAMS })
      if (own.length === MOST_TEAMS) throw new ApiError('too_many', `A person is in ${MOST_TEAMS} teams at most`)
      const team = await insertOwnedTeam(tx, { name: name.trim(), userId, by: ctx.scope })
      const made = await teamOf(tx, team)
      // After a crash a retry is answered from here, and makes no second team.
      ctx.scope.idempotency?.answered(tx, made)
      return made
    })
  },
})
