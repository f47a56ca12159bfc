import { pino } from 'pino'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { appWithTeam } from '../testing/for-all-tests.js'
import { operation } from './operation.js'

const logNote = operation({
  method: 'GET',
  url: '/notes',
  operationId: 'logNote',
  tags: ['notes'],
  summary: 'Logs as often as is asked',
  auth: 'optional',
  role: 'member',
  tenancy: 'public',
  querystring: Type.Object({ times: Type.Integer() }),
  response: { 200: Type.Any() },
  handler: async (ctx, { query }) => {
    for (let time = 0; time < query.times; time += 1) ctx.log.info('noted')
    return {}
  },
})

/** The number of logs made for single requests. */
let made = 0
const log = pino({ enabled: false })
log.onChild = (child) => {
  if ('requestId' in child.bindings()) made += 1
}

const world = appWithTeam([{ operations: [logNote] }], { log })

test.each([
  [0, 0],
  [1, 1],
  [3, 1],
])('a request that logs %i times makes %i logs of its own', async (times, logs) => {
  const { app, team } = world()
  for (const headers of [{}, { 'svc-api-token': team.apiKey }]) {
    made = 0
    const { statusCode } = await app.inject({ url: `/notes?times=${times}`, headers })
    expect([statusCode, made]).toEqual([200, logs])
  }
})
