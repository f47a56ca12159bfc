import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { readConfig } from '../config.js'
import { addressMatches } from './authentication.js'
import { createLog } from './log.js'
import { operation } from './operation.js'
import { type ScratchDatabase, scratchDatabase, testEnvironment, testTeam } from './testing.js'

const who = operation({
  method: 'GET',
  url: '/who',
  operationId: 'who',
  tags: [],
  summary: '',
  auth: 'key',
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
  tenancy: 'public',
  response: { 200: Type.Any() },
  handler: async (ctx) => ({ team: ctx.team ?? null }),
})

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

const appWith = (env: Record<string, string> = {}, log = createLog('silent', 'test')) => {
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...env })
  return buildApp(testEnvironment(scratch, { config, log }), [{ operations: [who, rule, maybe] }])
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

test('a role that is too small is 403, and a missing key is optional where it says so', async () => {
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
