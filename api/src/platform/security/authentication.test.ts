import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '../../app.js'
import { readConfig } from '../../config.js'
import { operation } from '../http/operation.js'
import { BRIEFLY_MS } from '../process/brief-memory.js'
import { systemClock } from '../process/clock.js'
import { createLog } from '../process/log.js'
import { type ScratchDatabase, serviceDatabase, testEnvironment, testTeam } from '../testing/scratch-database.js'
import { addressMatches, hashKey } from './authentication.js'

const who = operation({
  method: 'GET',
  url: '/who',
  operationId: 'who',
  tags: [],
  summary: '',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  response: { 200: Type.Any() },
  handler: async (ctx) => ({ team: ctx.team }),
})
const both = operation({
  method: 'GET',
  url: '/both',
  operationId: 'both',
  tags: [],
  summary: '',
  auth: 'account',
  role: 'member',
  tenancy: 'owned',
  response: { 200: Type.Any() },
  handler: async (ctx) => ({ team: ctx.team }),
})
const rule = operation({
  method: 'POST',
  url: '/rule',
  operationId: 'rule',
  tags: [],
  summary: '',
  auth: 'key',
  role: 'administrator',
  tenancy: 'owned',
  response: { 200: Type.Any() },
  handler: async () => ({}),
})
const maybe = operation({
  method: 'GET',
  url: '/maybe',
  operationId: 'maybe',
  tags: [],
  summary: '',
  auth: 'optional',
  role: 'member',
  tenancy: 'public',
  response: { 200: Type.Any() },
  handler: async (ctx) => ({ team: ctx.team ?? null }),
})

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())

const appWith = (env: Record<string, string> = {}, log = createLog('silent', 'test')) => {
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...env })
  return buildApp(testEnvironment(scratch, { config, log }), [{ operations: [who, both, rule, maybe] }])
}

test('a key is taken from each carrier, from both when they agree, and from none when they differ', async () => {
  const app = await appWith({ API_KEY_HEADERS: 'X-Other-Token' })
  const { apiKey, team } = await testTeam(scratch.db)
  const call = async (headers: Record<string, string>) => {
    const answer = await app.inject({ url: '/who', headers })
    return answer.statusCode === 200 ? answer.json() : answer.json().type
  }
  for (const headers of [
    { 'SVC-API-TOKEN': apiKey },
    { authorization: `Bearer ${apiKey}` },
    { authorization: `bearer  ${apiKey}` },
    { 'svc-api-token': apiKey, authorization: `Bearer ${apiKey}` },
    { 'x-other-token': apiKey },
  ])
    expect(await call(headers)).toEqual({ team })
  const second = await testTeam(scratch.db)
  expect(await call({ 'svc-api-token': apiKey, authorization: `Bearer ${second.apiKey}` })).toBe('unauthorized')
  expect(await call({ 'svc-api-token': apiKey, 'x-other-token': 'x' })).toBe('unauthorized')
  expect(await call({})).toBe('unauthorized')
  expect(await call({ 'svc-api-token': 'ak_test_nope' })).toBe('unauthorized')
  await app.close()
})

test('a key of another environment is 401 wrong_environment, known or not', async () => {
  const [sandbox, production] = [await appWith(), await appWith({ ENVIRONMENT: 'production' })]
  const { apiKey } = await testTeam(scratch.db)
  const type = async (app: typeof sandbox, key: string) =>
    (await app.inject({ url: '/who', headers: { 'svc-api-token': key } })).json().type
  expect(await type(production, apiKey)).toBe('wrong_environment')
  expect(await type(sandbox, 'ak_live_anything')).toBe('wrong_environment')
  await Promise.all([sandbox.close(), production.close()])
})

test('a key with a list of addresses works from these only', async () => {
  const app = await appWith()
  const { apiKey } = await testTeam(scratch.db, 'owner', ['203.0.113.7', '2001:db8::/32'])
  const from = async (address: string) =>
    (await app.inject({ url: '/who', headers: { 'svc-api-token': apiKey, 'x-forwarded-for': address } })).statusCode
  expect([await from('203.0.113.7'), await from('2001:db8::9'), await from('203.0.113.8')]).toEqual([200, 200, 401])
  // Only proxies on the list are believed.
  const remote = await app.inject({
    url: '/who',
    remoteAddress: '198.51.100.1',
    headers: { 'svc-api-token': apiKey, 'x-forwarded-for': '203.0.113.7' },
  })
  expect(remote.json()).toMatchObject({ status: 401, type: 'ip_not_allowed' })
  await app.close()
})

test('addresses match alone, in ranges, and as IPv4 in IPv6 clothes', () => {
  expect(addressMatches('::ffff:10.0.0.1', '10.0.0.1')).toBe(true)
  expect(addressMatches('10.0.0.1', '10.0.0.0/8')).toBe(true)
  expect(addressMatches('10.0.0.1', '2001:db8::/32')).toBe(false)
  expect(addressMatches('unix', '10.0.0.1')).toBe(false)
})

test('an address just outside a range is not in it, for IPv4, IPv6, and IPv4 in IPv6 clothes on either side', () => {
  // The range, its first and last addresses, and the neighbours of these.
  const ranges: [range: string, first: string, last: string, before: string, after: string][] = [
    ['10.1.2.64/26', '10.1.2.64', '10.1.2.127', '10.1.2.63', '10.1.2.128'],
    ['10.1.2.100/26', '10.1.2.64', '10.1.2.127', '10.1.2.63', '10.1.2.128'],
    ['203.0.113.7/32', '203.0.113.7', '203.0.113.7', '203.0.113.6', '203.0.113.8'],
    ['128.0.0.0/1', '128.0.0.0', '255.255.255.255', '127.255.255.255', '0.0.0.0'],
    [
      '2001:db8:0:4::/62',
      '2001:db8:0:4::',
      '2001:db8:0:7:ffff:ffff:ffff:ffff',
      '2001:db8:0:3:ffff:ffff:ffff:ffff',
      '2001:db8:0:8::',
    ],
    ['2001:db8::8/125', '2001:db8::8', '2001:db8::f', '2001:db8::7', '2001:db8::10'],
    ['::ffff:10.1.2.64/122', '10.1.2.64', '10.1.2.127', '10.1.2.63', '10.1.2.128'],
  ]
  for (const [range, first, last, before, after] of ranges)
    for (const clothe of [(ip: string) => ip, (ip: string) => (ip.includes(':') ? ip.toUpperCase() : `::ffff:${ip}`)])
      expect(
        [first, last, before, after].map((ip) => addressMatches(clothe(ip), range)),
        range,
      ).toEqual([true, true, false, false])
  expect(addressMatches('2001:db8::1', '0.0.0.0/0')).toBe(false)
  expect(addressMatches('10.0.0.1', '::/0')).toBe(false)
  expect([addressMatches('203.0.113.7', '203.0.113.7'), addressMatches('203.0.113.8', '203.0.113.7')]).toEqual([
    true,
    false,
  ])
  expect(addressMatches('2001:db8::1', '2001:db8::2')).toBe(false)
})

test('a key and a session that ended are remembered for a second at most, also those that another replica ended', async () => {
  const { apiKey, keyId, team } = await testTeam(scratch.db)
  const session = `st_test_${'1'.repeat(32)}`
  const change = (text: RawBuilder<unknown>) => scratch.db.transaction('system', (tx) => text.execute(tx))
  await change(sql`with person as (insert into service.users (email, name) values ('ada@example.org', 'Ada') returning id),
    member as (insert into service.team_members (team_id, user_id, role) select ${team}, id, 'member' from person)
    insert into service.sessions (team_id, user_id, hash, created, expires)
    select ${team}, id, ${hashKey(session)}, now(), now() + interval '1 hour' from person`)
  const app = await appWith()
  const secrets = [{ 'svc-api-token': apiKey }, { 'svc-web-token': session }]
  const answers = () =>
    Promise.all(secrets.map(async (headers) => (await app.inject({ url: '/both', headers })).statusCode))
  const started = performance.now()
  const later = vi.spyOn(performance, 'now').mockReturnValue(started)
  expect(await answers()).toEqual([200, 200])
  await change(sql`update service.api_keys set revoked = now() where id = ${keyId}`)
  await change(sql`delete from service.sessions where hash = ${hashKey(session)}`)
  later.mockReturnValue(started + BRIEFLY_MS - 1)
  expect(await answers()).toEqual([200, 200])
  later.mockReturnValue(started + BRIEFLY_MS)
  expect(await answers()).toEqual([401, 401])
  later.mockRestore()
  await app.close()
})

test('a key is good until the millisecond before it expires', async () => {
  const expires = Date.parse('2031-05-04T03:02:01.000Z')
  let now = 0
  const { apiKey, keyId } = await testTeam(scratch.db)
  await scratch.db.transaction('system', (tx) =>
    tx
      .updateTable('api_keys')
      .set({ expires: new Date(expires) })
      .where('id', '=', keyId)
      .execute(),
  )
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl })
  const clock = { ...systemClock, now: () => new Date(now) }
  const app = await buildApp(testEnvironment(scratch, { config, clock }), [{ operations: [who] }])
  const at = async (time: number) => {
    now = time
    return (await app.inject({ url: '/who', headers: { 'svc-api-token': apiKey } })).statusCode
  }
  expect([await at(expires - 1), await at(expires), await at(expires + 1)]).toEqual([200, 401, 401])
  await app.close()
})

test('an address that sent too many wrong keys gets 429 for each, and a right key from it is served all the while', async () => {
  const app = await appWith({ WRONG_KEYS_PER_MINUTE: '5' })
  const { apiKey } = await testTeam(scratch.db)
  const from = (address: string, key: string) =>
    app.inject({ url: '/who', headers: { 'svc-api-token': key, 'x-forwarded-for': address } })
  const tried = []
  for (let i = 0; i < 12; i++) {
    tried.push((await from('2001:db8:0:1::1', i % 2 === 0 ? `ak_test_wrong${i}` : `ak_live_wrong${i}`)).statusCode)
    expect((await from('2001:db8:0:1::2', apiKey)).statusCode).toBe(200)
  }
  expect(tried).toEqual([...Array<number>(5).fill(401), ...Array<number>(7).fill(429)])
  const refused = await from('2001:db8:0:1:ffff::3', 'ak_test_wrong')
  expect(refused.json()).toMatchObject({ status: 429, type: 'rate_limited' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await from('2001:db8:0:2::1', 'ak_test_wrong')).statusCode).toBe(401)
  await app.close()
})

test('eight hundred wrong keys at once cost the database few statements, and right ones among them are served', async () => {
  let statements = 0
  const db: typeof scratch.db = {
    ...scratch.db,
    call(statement) {
      statements += 1
      return scratch.db.call(statement)
    },
  }
  const urls = { DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl }
  // The process lets all of them in at once, so that only their keys limit them.
  const letIn = { REQUESTS_IN_WORK: '1000', REQUESTS_IN_WORK_PER_CALLER: '1000' }
  const config = readConfig({ ...urls, ...letIn })
  const app = await buildApp(testEnvironment(scratch, { config, db }), [{ operations: [who] }])
  const { apiKey } = await testTeam(scratch.db)
  await app.ready()
  const answers = await Promise.all(
    Array.from({ length: 800 }, async (_, i) => {
      const isRight = i % 100 === 99
      const answer = await app.inject({ url: '/who', headers: { 'svc-api-token': isRight ? apiKey : `ak_test_${i}` } })
      return [isRight, answer.statusCode] as const
    }),
  )
  const of = (right: boolean) => answers.filter(([isRight]) => isRight === right).map(([, status]) => status)
  expect(new Set(of(true))).toEqual(new Set([200]))
  expect(of(false).filter((status) => status === 401)).toHaveLength(60)
  expect(of(false).filter((status) => status === 429)).toHaveLength(732)
  expect(statements).toBeLessThan(100)
  await app.close()
})

test('a role too small is 403, and an operation with an optional key needs none', async () => {
  const app = await appWith()
  const [member, owner] = [await testTeam(scratch.db, 'member'), await testTeam(scratch.db, 'owner')]
  const post = (key: string) => app.inject({ method: 'POST', url: '/rule', headers: { 'svc-api-token': key } })
  expect((await post(member.apiKey)).json()).toMatchObject({ status: 403, type: 'forbidden' })
  expect((await post(owner.apiKey)).statusCode).toBe(200)
  expect((await app.inject({ url: '/maybe' })).json()).toEqual({ team: null })
  expect((await app.inject({ url: '/maybe', headers: { 'svc-api-token': 'ak_test_x' } })).statusCode).toBe(401)
  await app.close()
})

test('the database holds SHA-256 of keys, and the log holds no key and no query secret', async () => {
  const stream = new PassThrough()
  const app = await appWith({}, createLog('trace', 'test', stream))
  const { apiKey, keyId } = await testTeam(scratch.db)
  await app.inject({
    url: '/who?password=hunter2&p=hunter3',
    headers: { 'svc-api-token': apiKey, authorization: `Bearer ${apiKey}` },
  })
  await app.close()
  const logged = String(stream.read())
  expect(logged).toContain('"url":"/who?password=[redacted]&p=[redacted]"')
  expect(logged).not.toMatch(new RegExp(`${apiKey}|hunter`))
  const row = await scratch.db.read('system', (r) =>
    r.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow(),
  )
  expect(row.hash).toEqual(createHash('sha256').update(apiKey).digest())
  expect(JSON.stringify(row)).not.toContain(apiKey)
})

test('production limits requests per key, the sandbox does not', async () => {
  const env = { ENVIRONMENT: 'production', RATE_LIMIT_REQUESTS: '3' }
  const [production, sandbox] = [await appWith(env), await appWith({ ...env, ENVIRONMENT: 'sandbox' })]
  const statuses = async (app: typeof production, key: string) => {
    const answers = []
    for (let i = 0; i < 5; i++)
      answers.push((await app.inject({ url: '/who', headers: { 'svc-api-token': key } })).statusCode)
    return answers
  }
  const { apiKey } = await testTeam(scratch.db)
  const live = `ak_live_${apiKey.slice(8)}`
  await scratch.db.transaction('system', (tx) =>
    tx
      .updateTable('api_keys')
      .set({ hash: createHash('sha256').update(live).digest() })
      .where('public_part', '=', apiKey.slice(0, 12))
      .execute(),
  )
  expect(await statuses(production, live)).toEqual([200, 200, 200, 429, 429])
  const refused = await production.inject({ url: '/who', headers: { 'svc-api-token': live } })
  expect(refused.json()).toEqual({ status: 429, type: 'rate_limited', message: expect.any(String) })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const test = await testTeam(scratch.db)
  expect(await statuses(sandbox, test.apiKey)).toEqual([200, 200, 200, 200, 200])
  await Promise.all([production.close(), sandbox.close()])
})
