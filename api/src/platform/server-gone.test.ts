import { sql } from 'kysely'
import pg from 'pg'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { operation } from './http/operation.js'
import { isServerGone } from './server-gone.js'
import { asAdmin } from './testing/after-all.js'
import { appWithTeam } from './testing/for-all-tests.js'

const slow = {
  tags: ['notes'],
  summary: 'Waits in the database',
  tenancy: 'owned',
  auth: 'key',
  role: 'member',
  response: { 200: Type.Any() },
} as const
const wait = sql`select pg_sleep(30)`

const readSlowly = operation({
  ...slow,
  method: 'GET',
  url: '/read',
  operationId: 'readSlowly',
  handler: async (ctx) => ctx.db.read(ctx.scope, async (reader) => wait.execute(reader)),
})
const writeSlowly = operation({
  ...slow,
  method: 'POST',
  url: '/write',
  operationId: 'writeSlowly',
  handler: async (ctx) => ctx.db.transaction(ctx.scope, async (tx) => wait.execute(tx)),
})
const callSlowly = operation({
  ...slow,
  method: 'POST',
  url: '/call',
  operationId: 'callSlowly',
  handler: async (ctx) => ctx.db.call(wait),
})
/** The statement fails with its connection, and the handler goes on with another one. */
const goOn = operation({
  ...slow,
  method: 'POST',
  url: '/go-on',
  operationId: 'goOn',
  handler: async (ctx) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await wait.execute(tx).catch(() => undefined)
      return wait.execute(tx)
    }),
})

const world = appWithTeam([{ operations: [readSlowly, writeSlowly, callSlowly, goOn] }])

const CALLS = [
  ['GET', '/read'],
  ['POST', '/write'],
  ['POST', '/call'],
  ['POST', '/go-on'],
] as const

const send = async (method: 'GET' | 'POST', url: string, headers = {}) =>
  world().app.inject({ method, url, headers: { 'svc-api-token': world().team.apiKey, ...headers } })

const nameOf = () => new URL(world().scratch.adminUrl).pathname.slice(1)

/**
 * Ends every connection of the service, as a server that stops does, and waits until they are gone; returns how many
 * there were.
 */
const endConnections = () =>
  asAdmin(async (admin) => {
    const { rowCount } = await admin.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [nameOf()],
    )
    return rowCount ?? 0
  })

const waiting = () =>
  asAdmin(async (admin) => {
    const { rows } = await admin.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = $1 and query like '%pg_sleep%' and state = 'active'",
      [nameOf()],
    )
    return rows[0]?.n ?? 0
  })

describe('when Postgres goes away under a request, its answer is 503, and says to try again', () => {
  test.each([{}, { 'idempotency-key': 'again' }])('in each way to use the database, %j', async (headers) => {
    const answers = CALLS.map(([method, url]) => send(method, url, headers))
    await expect.poll(waiting).toBe(CALLS.length)
    expect(await endConnections()).toBeGreaterThan(0)
    for (const answer of await Promise.all(answers)) {
      expect(answer.json()).toMatchObject({ status: 503, type: 'unavailable' })
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1'])
    }
  })

  test('also when nobody may connect', async () => {
    await asAdmin((admin) => admin.query(`alter database ${nameOf()} allow_connections false`))
    await endConnections()
    try {
      for (const [method, url] of CALLS) expect((await send(method, url)).statusCode).toBe(503)
    } finally {
      await asAdmin((admin) => admin.query(`alter database ${nameOf()} allow_connections true`))
    }
  })
})

describe('every message of node-postgres about a server that is gone is known', () => {
  const refused = (config: pg.ClientConfig) => new pg.Client(config).connect().catch((error: unknown) => error)

  test.each([
    ['no server', { host: '127.0.0.1', port: 1 }],
    ['no socket', { host: '/nowhere', port: 1 }],
    ['no such host', { host: 'nowhere.invalid' }],
  ])('%s', async (_what, config) => {
    expect(isServerGone(await refused(config))).toBe(true)
  })

  test('no such database', async () => {
    const url = new URL(world().scratch.adminUrl)
    url.pathname = '/dev_api_nothing'
    expect(isServerGone(await refused({ connectionString: url.href }))).toBe(true)
  })

  test('an ended pool, and a wait in vain for a connection', async () => {
    const pool = new pg.Pool({ connectionString: world().scratch.adminUrl, max: 1 })
    const only = await pool.connect()
    pool.options.connectionTimeoutMillis = 20
    expect(isServerGone(await pool.connect().catch((error: unknown) => error))).toBe(true)
    only.release()
    await pool.end()
    expect(isServerGone(await pool.connect().catch((error: unknown) => error))).toBe(true)
  })

  test('as the cause of something else too, and nothing else is', () => {
    const lost = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    expect(isServerGone(new Error('wrapped', { cause: new AggregateError([lost]) }))).toBe(true)
    expect(isServerGone(new Error('a bug'))).toBe(false)
    expect(isServerGone(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' }))).toBe(false)
  })
})
