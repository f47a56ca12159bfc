import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { readConfig } from '../../config.js'
import { operation } from '../../platform/http/operation.js'
import { BRIEFLY_MS } from '../../platform/process/brief-memory.js'
import { keyAuthenticator } from '../../platform/security/authentication.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { requestAs } from '../../platform/testing/request-as.js'
import { serviceDatabase, testEnvironment, testTeam } from '../../platform/testing/scratch-database.js'
import { accounts } from '../operations.js'

const wallets = operation({
  method: 'POST',
  url: '/wallets',
  operationId: 'wallets',
  tags: [],
  summary: '',
  auth: 'sponsor',
  tenancy: 'owned',
  response: { 200: Type.Any() },
  handler: async ({ team, principal: { kind } }) => ({ team, kind }),
})

const opened = forAllTests(async () => {
  const scratch = await serviceDatabase()
  const environment = testEnvironment(scratch)
  const served = [accounts, { operations: [wallets] }]
  const replicas = [await buildApp(environment, served), await buildApp(environment, served)] as const
  const close = async () => {
    await Promise.all(replicas.map((app) => app.close()))
    await scratch.close()
  }
  return { scratch, replicas, app: replicas[0], close }
})

async function administrator() {
  const { apiKey, team } = await testTeam(opened().scratch.db, 'administrator')
  const ask = async (method: string, url: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await requestAs(opened().app, { apiKey }, method, url, body, headers)
    return { status: answer.statusCode, body: answer.json() }
  }
  return { ask, team, apiKey }
}

const statusWith = async (apiKey: string, headers: Record<string, string> = {}, replica = 0) => {
  const app = opened().replicas[replica === 0 ? 0 : 1]
  return (await requestAs(app, { apiKey }, 'GET', '/teams', undefined, headers)).statusCode
}

const TO_FUTURE = '2099-01-01T00:00:00.000Z'

test('a key is shown once, and its facts in the list and nowhere more', async () => {
  const { ask } = await administrator()
  const wanted = { alias: ' Office ', ips: ['203.0.113.0/24', '2001:db8::/32'], expires: '2099-01-01' }
  const made = await ask('POST', '/keys', wanted)
  const facts = {
    kind: 'api',
    role: 'member',
    alias: 'Office',
    ips: wanted.ips,
    expires: TO_FUTURE,
    lastUsed: null,
    createdBy: null,
    temporary: false,
  }
  expect(made).toMatchObject({ status: 200, body: { ...facts, jwt: expect.stringMatching(/^ak_test_[0-9a-f]{64}$/) } })
  const { jwt, ...shown } = made.body
  const list = await ask('GET', '/keys')
  expect(list.body[0]).toEqual(shown)
  expect(list.body).toHaveLength(2)
  expect(JSON.stringify(list.body)).not.toContain(jwt.slice(-52))
  expect(await statusWith(jwt, { 'x-forwarded-for': '2001:db8::77' })).toBe(200)
  expect(await statusWith(jwt, { 'x-forwarded-for': '203.0.114.1' })).toBe(401)
})

test('a list of addresses is about the caller that the trusted proxy tells, not about what the caller adds', async () => {
  const { ask } = await administrator()
  const { jwt } = (await ask('POST', '/keys', { ips: ['203.0.113.7'] })).body
  expect(await statusWith(jwt, { 'x-forwarded-for': '203.0.113.7' })).toBe(200)
  // The proxy adds the true address behind whatever its client claimed.
  expect(await statusWith(jwt, { 'x-forwarded-for': '203.0.113.7, 198.51.100.9' })).toBe(401)
  expect(await statusWith(jwt, { 'x-forwarded-for': 'nonsense' })).toBe(401)
  expect(await statusWith(jwt, { 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' })).toBe(401)
})

test.each<[object, RegExp]>([
  [{ ips: ['203.0.113.0/33'] }, /ips\/0/],
  [{ ips: ['127.1'] }, /ips\/0/],
  [{ ips: ['203.0.113.1', 'localhost'] }, /ips\/1/],
  [{ ips: ['fe80::1%eth0'] }, /ips\/0/],
  [{ ips: Array.from({ length: 101 }, () => '203.0.113.1') }, /ips/],
  [{ alias: 'x'.repeat(201) }, /alias/],
  [{ alias: 'a\nb' }, /alias/],
  [{ expires: 'soon' }, /expires/],
  [{ expires: '2020-01-01' }, /expires/],
  [{ expires: '9999-12-31T23:59:59-01:00' }, /expires/],
  [{ kind: 'sponsor', role: 'owner' }, /role/],
  [{ kind: 'master' }, /kind/],
  [{ role: 'king' }, /role/],
])('a key cannot be made with %j: 400, and none is there', async (body, words) => {
  const { ask } = await administrator()
  const answer = await ask('POST', '/keys', body)
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringMatching(words)])
  expect((await ask('GET', '/keys')).body).toHaveLength(1)
})

test('members that nobody may set are ignored and named, and set nothing', async () => {
  const { ask, team } = await administrator()
  const assigned = { team_id: 1, teamId: 1, createdBy: 1, hash: 'x', temporary: true, lastUsed: TO_FUTURE, id: 7 }
  const { body } = await ask('POST', '/keys', assigned)
  expect(body).toMatchObject({ temporary: false, createdBy: null, lastUsed: null })
  expect((await requestAs(opened().app, { apiKey: body.jwt }, 'GET', '/teams')).json()).toMatchObject([{ id: team }])
})

test('nobody makes, changes, rotates or revokes a key with a greater role than their own', async () => {
  const { ask, team } = await administrator()
  expect((await ask('POST', '/keys', { role: 'owner' })).status).toBe(403)
  const made = await ask('POST', '/keys', { role: 'administrator' })
  expect(made.body.role).toBe('administrator')
  const key = made.body.key
  await opened().scratch.db.transaction('system', (tx) =>
    tx
      .updateTable('api_keys')
      .set({ role: 'owner' })
      .where('team_id', '=', team)
      .where('public_part', '=', key)
      .execute(),
  )
  for (const [method, path, body] of [
    ['PATCH', `/keys/${key}`, { ips: ['203.0.113.1'] }],
    ['POST', `/keys/${key}/rotate`, {}],
    ['DELETE', `/keys/${key}`, undefined],
  ] as const)
    expect((await ask(method, path, body)).status).toBe(403)
  expect(await statusWith(made.body.jwt)).toBe(200)
})

test('a revoked key opens nothing on any replica a second later, and another key still does', async () => {
  const { ask } = await administrator()
  const [one, other] = [(await ask('POST', '/keys')).body, (await ask('POST', '/keys')).body]
  expect([await statusWith(one.jwt, {}, 0), await statusWith(one.jwt, {}, 1)]).toEqual([200, 200])
  expect(await ask('DELETE', `/keys/${one.key}`)).toEqual({ status: 200, body: { revoked: true } })
  await setTimeout(BRIEFLY_MS)
  expect([await statusWith(one.jwt, {}, 0), await statusWith(one.jwt, {}, 1)]).toEqual([401, 401])
  expect([await statusWith(other.jwt, {}, 0), await statusWith(other.jwt, {}, 1)]).toEqual([200, 200])
  for (const [method, path, body] of [
    ['DELETE', `/keys/${one.key}`, undefined],
    ['PATCH', `/keys/${one.key}`, { alias: 'back' }],
    ['POST', `/keys/${one.key}/rotate`, {}],
  ] as const)
    expect((await ask(method, path, body)).status).toBe(404)
})

test('a change of the addresses of a key holds on every replica a second later', async () => {
  const { ask } = await administrator()
  const { key, jwt } = (await ask('POST', '/keys')).body
  expect(await statusWith(jwt, {}, 1)).toBe(200)
  const changed = await ask('PATCH', `/keys/${key}`, { ips: ['198.51.100.0/24'], alias: 'Narrow' })
  expect(changed.body).toMatchObject({ alias: 'Narrow', ips: ['198.51.100.0/24'], role: 'member' })
  await setTimeout(BRIEFLY_MS)
  expect(await statusWith(jwt, {}, 1)).toBe(401)
  expect(await statusWith(jwt, { 'x-forwarded-for': '198.51.100.4' }, 1)).toBe(200)
  expect((await ask('PATCH', `/keys/${key}`, { ips: null, alias: null })).body).toMatchObject({ alias: null, ips: [] })
  expect((await ask('PATCH', `/keys/${key}`, { role: 'owner' })).status).toBe(400)
})

test('a rotated key works beside the new one until the overlap is over, and without one it ends at once', async () => {
  const { ask } = await administrator()
  const old = (await ask('POST', '/keys', { alias: 'Server', ips: ['127.0.0.1'], role: 'administrator' })).body
  const { body: next } = await ask('POST', `/keys/${old.key}/rotate`, { overlapSeconds: 3600 })
  expect(next).toMatchObject({ alias: 'Server', ips: ['127.0.0.1'], role: 'administrator', expires: null })
  expect([await statusWith(old.jwt), await statusWith(next.jwt)]).toEqual([200, 200])
  const listed = (await ask('GET', '/keys')).body.find(({ key }: { key: string }) => key === old.key)
  const left = Date.parse(listed.expires) - Date.now()
  expect(left).toBeGreaterThan(3_500_000)
  expect(left).toBeLessThanOrEqual(3_600_000)
  const { body: last } = await ask('POST', `/keys/${next.key}/rotate`, { overlapSeconds: 0 })
  await setTimeout(BRIEFLY_MS)
  expect([await statusWith(next.jwt), await statusWith(last.jwt)]).toEqual([401, 200])
})

test('a retry with the same Idempotency-Key makes no second key, and shows none again', async () => {
  const { ask } = await administrator()
  const headers = { 'idempotency-key': 'once' }
  const first = await ask('POST', '/keys', { alias: 'a' }, headers)
  const again = await ask('POST', '/keys', { alias: 'a' }, headers)
  expect([first.status, again.status, again.body.type]).toEqual([200, 409, 'conflict'])
  expect(JSON.stringify(again.body)).not.toContain(first.body.jwt)
  expect((await ask('GET', '/keys')).body).toHaveLength(2)
})

test("a sponsor's key opens the wallet door alone, and no other key opens that", async () => {
  const { ask, team, apiKey } = await administrator()
  const { jwt } = (await ask('POST', '/keys', { kind: 'sponsor' })).body
  expect(jwt).toMatch(/^sk_test_/)
  const { app } = opened()
  const at = async (url: string, headers: Record<string, string>) => {
    const { statusCode } = await app.inject({ method: url === '/wallets' ? 'POST' : 'GET', url, headers })
    return statusCode
  }
  // Authorization carries what the wallet's DID signed.
  const door = await app.inject({
    method: 'POST',
    url: '/wallets',
    headers: { 'x-mobile-sponsor-key': jwt, authorization: 'Bearer ey.jwt' },
  })
  expect([door.statusCode, door.json()]).toEqual([200, { team, kind: 'sponsor' }])
  for (const header of ['svc-api-token', 'x-mobile-sponsor-key', 'svc-web-token'])
    expect(await at('/teams', { [header]: jwt })).toBe(401)
  expect(await at('/teams', { 'svc-api-token': apiKey, 'x-mobile-sponsor-key': jwt })).toBe(401)
  expect(await at('/wallets', { 'x-mobile-sponsor-key': apiKey })).toBe(401)
  expect(await at('/wallets', { 'svc-api-token': apiKey })).toBe(401)
  expect(await at('/wallets', {})).toBe(401)
})

test('the last use of a key is known when a replica has stored it, and the requests themselves wrote nothing', async () => {
  const { scratch } = opened()
  const { apiKey, keyId } = await testTeam(scratch.db)
  const app = await buildApp(testEnvironment(scratch), [accounts])
  const lastUsed = async () => {
    const row = await scratch.db.read('system', (reader) =>
      reader.selectFrom('api_keys').select('last_used').where('id', '=', keyId).executeTakeFirstOrThrow(),
    )
    return row.last_used
  }
  const before = Date.now()
  for (let i = 0; i < 5; i++) await requestAs(app, { apiKey }, 'GET', '/teams')
  expect(await lastUsed()).toBe(null)
  await app.close()
  expect((await lastUsed())?.getTime()).toBeGreaterThanOrEqual(before)
})

test("another team's key is missing, and stays as it is", async () => {
  const [mine, other] = [await administrator(), await administrator()]
  const { key, jwt } = (await mine.ask('POST', '/keys')).body
  for (const [method, path, body] of [
    ['PATCH', `/keys/${key}`, { alias: 'taken' }],
    ['POST', `/keys/${key}/rotate`, {}],
    ['DELETE', `/keys/${key}`, undefined],
  ] as const) {
    const [theirs, missing] = [
      await other.ask(method, path, body),
      await other.ask(method, path.replace(key, 'ak_test_no'), body),
    ]
    expect(theirs.status).toBe(404)
    expect(theirs).toEqual(missing)
  }
  expect(await statusWith(jwt)).toBe(200)
})

test('10,000 checks of keys take under 0.2 ms of processor each on average', async () => {
  const { scratch } = opened()
  const keys = await Promise.all(Array.from({ length: 50 }, () => testTeam(scratch.db)))
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl })
  const authenticator = keyAuthenticator(scratch.db, config)
  const check = (i: number) => authenticator.key(keys[i % 50]?.apiKey ?? '', '203.0.113.7', new Date())
  for (let i = 0; i < 500; i++) await check(i)
  const before = process.cpuUsage()
  for (let i = 0; i < 10_000; i++) await check(i)
  const { user, system } = process.cpuUsage(before)
  await authenticator.close()
  expect((user + system) / 1000 / 10_000).toBeLessThan(0.2)
})
