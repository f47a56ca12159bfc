import { randomBytes } from 'node:crypto'
import { schemaId } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { type CommonLoop, commonLoop } from '../dids/loop.testing.js'
import { dids } from '../dids/operations.js'
import { someDidKey } from '../dids/testing.js'
import { jobsWith } from '../jobs/operations.js'
import { answerOf } from '../platform/testing/answered.js'
import { requestAs } from '../platform/testing/request-as.js'
import { type ScratchDatabase, type TestTeam, testTeam } from '../platform/testing/scratch-database.js'
import { actions } from './operations.js'

const jobs = jobsWith(() => ({}))

let scratch: ScratchDatabase
let loop: CommonLoop
let app: FastifyInstance
let [team, stranger]: TestTeam[] = []

beforeAll(async () => {
  loop = await commonLoop()
  scratch = loop.scratch
  app = await buildApp(loop.environment, [jobs, dids, actions])
  team = await testTeam(scratch.db)
  stranger = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
})

async function ask(
  of: TestTeam | undefined,
  method: string,
  url: string,
  payload?: object,
  headers: Record<string, string> = {},
) {
  return answerOf(await requestAs(app, of, method, url, payload, headers))
}

const act = (did: string, action: string, params: object, of = team) =>
  ask(of, 'POST', '/ledger/actions', { did, action, params })

const newDid = async (of = team): Promise<string> => (await ask(of, 'POST', '/dids', {})).body.did

const WAITING = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

/** The ledger takes each of these for the parameter did. */
const SPELLINGS = ['did', 'Did', 'DID', 'did_']

const others = randomBytes(31).toString('hex')
const registryId = (digit: string) => `0x${digit.repeat(2)}${others}`

test('calls of all three pallets by their names reach the ledger in their order, and end as jobs', async () => {
  const did = await newDid()
  const started = [
    await act(did, 'TrustRegistry.init_or_update_trust_registry', {
      registryId: registryId('1'),
      name: 'Kenya',
      govFramework: 'x',
    }),
    await act(did, 'set_schemas_metadata', {
      registryId: registryId('1'),
      update: { Modify: { [registryId('2')]: { Ensure: { issuers: { Modify: { [did]: 'Ensure' } } } } } },
    }),
    await act(did, 'SuspendIssuers', { registryId: registryId('1'), issuers: [did] }),
    await act(did, 'Did.set_service', {
      did,
      service: { id: 'files', serviceType: 'Files', endpoints: ['https://x.example'] },
    }),
    await act(did, 'Revocation.create', {
      registryId: registryId('3'),
      policy: [did],
      addOnly: false,
      kind: { StatusList: { length: 131_072 } },
    }),
  ]
  expect(started.map(({ status, body }) => [status, body.data?.did])).toEqual(started.map(() => [200, did]))
  await loop.untilDone()
  for (const { body } of started) {
    const job = await ask(team, 'GET', `/jobs/${body.id}`)
    expect(job.body).toMatchObject({
      status: 'finalized',
      result: { userData: did, encodedTx: expect.stringMatching(/^0x0a01/) },
    })
  }
})

test('a service under another spelling of its id is refused, as is what is no URI: the document has each id once', async () => {
  const did = await newDid()
  const set = (service: object) =>
    act(did, 'Did.set_service', {
      did,
      service: { id: 'linked', serviceType: 'LinkedDomains', endpoints: ['https://x.example'], ...service },
    })
  expect((await set({})).status).toBe(200)
  await loop.untilDone()
  const refusals: [object, string][] = [
    [{ id: `${did}#didcomm` }, '/params/service/id'],
    [{ id: '#linked' }, '/params/service/id'],
    [{ id: 'hub with space' }, '/params/service/id'],
    [{ endpoints: ['not a uri at all'] }, '/params/service/endpoints/0'],
  ]
  for (const [service, path] of refusals) {
    const { status, body } = await set(service)
    expect([status, body.problems?.map((problem: { path: string }) => problem.path)]).toEqual([400, [path]])
  }
  await loop.untilDone()
  const { body } = await ask(team, 'GET', `/dids/${did}`)
  expect(body.service.map(({ id }: { id: string }) => id).sort()).toEqual([`${did}#didcomm`, `${did}#linked`])
  const resolved = await ask(team, 'GET', `/1.0/identifiers/${did}`)
  expect(resolved.body.didDocument).toEqual(body)
})

test('the names of the specification are taken, and a Set without a version gets the one that the service read', async () => {
  const did = await newDid()
  const [id, schema, other] = [registryId('6'), registryId('7'), registryId('8')]
  const all = { issuers: { [did]: { EUR: 1_000_000 } }, verifiers: [did] }
  const set = (schemas: object, more: object = {}) =>
    act(did, 'SetSchemasMetadata', { registryId: id, schemas, ...more })
  await act(did, 'InitOrUpdateTrustRegistry', { registryId: id, name: 'Named', govFramework: 'x', nonce: 1 })
  await loop.untilDone()
  const first = await set({ Modify: { [schema]: { Set: all } } }, { nonce: 2 })
  expect(first).toMatchObject({
    status: 200,
    body: { data: { expectedVersions: [{ registryId: id, expectedVersion: 0 }] } },
  })
  await loop.untilDone()
  const twice = await ask(team, 'POST', '/ledger/actions', {
    did,
    actions: [
      { action: 'SetSchemasMetadata', params: { registryId: id, schemas: { Modify: { [other]: { Ensure: {} } } } } },
      { action: 'SetSchemasMetadata', params: { registryId: id, schemas: { Set: { [schema]: all } }, nonce: 3 } },
    ],
  })
  expect(twice.body.data.expectedVersions).toEqual([{ registryId: id, expectedVersion: 2 }])
  const given = await set({ Set: {} }, { expectedVersion: 3 })
  const merging = await set({ Modify: { [schema]: { Ensure: {} } } })
  for (const { body } of [given, merging]) expect(Object.keys(body.data)).toEqual(['did', 'action'])
  await loop.untilDone()
  for (const { body } of [first, twice, given, merging])
    expect((await ask(team, 'GET', `/jobs/${body.id}`)).body).toMatchObject({ status: 'finalized' })
  // A schema by its URI is the one by its hash.
  const uri = 'https://university.example/degree.json'
  const byUri = await set({ Modify: { [uri]: { Ensure: {} } } })
  await loop.untilDone()
  const byHash = await set({ Modify: { [schemaId(uri)]: 'Remove' } })
  await loop.untilDone()
  for (const { body } of [byUri, byHash])
    expect((await ask(team, 'GET', `/jobs/${body.id}`)).body).toMatchObject({ status: 'finalized' })
  const path = (key: string) => `/params/schemas/Modify/${encodeURIComponent(key.replaceAll('/', '~1'))}`
  for (const [keys, wrong] of [
    [['degree'], path('degree')],
    [[uri, schemaId(uri)], path(schemaId(uri))],
  ] as const) {
    const refused = await set({ Modify: Object.fromEntries(keys.map((key) => [key, { Ensure: {} }])) })
    expect(refused.body.problems).toEqual([expect.objectContaining({ path: wrong })])
  }
  expect((await set({ Modify: { [uri]: { Sett: all } } })).body.problems).toEqual([
    expect.objectContaining({ path: `${path(uri)}/Sett` }),
  ])
  expect((await set({ Modify: {} }, { update: { Modify: {} } })).body.problems).toEqual([
    { path: '/params/schemas', message: expect.stringContaining('is the same as update') },
  ])
  expect((await set({ Modify: { [schema]: { Sett: all } } })).body.problems).toEqual([
    expect.objectContaining({ path: `/params/schemas/Modify/${schema}/Sett` }),
  ])
})

test('the nonce must be the DID’s next, with its pending actions counted: another is 409, no number 400', async () => {
  const did = await newDid()
  await loop.untilDone()
  const acting = (nonce: unknown) => {
    const service = { id: 'files', serviceType: 'Files', endpoints: ['https://x.example'] }
    return act(did, 'Did.set_service', { did, service, nonce })
  }
  for (const nonce of [0, 2]) {
    const { status, body } = await acting(nonce)
    expect([status, body.type, body.message]).toEqual([
      409,
      'conflict',
      expect.stringContaining('next one of this DID is 1'),
    ])
  }
  expect([(await acting(1)).status, (await acting(1)).status, (await acting(2)).status]).toEqual([200, 409, 200])
  await loop.untilDone()
  expect([(await acting(2)).status, (await acting(3)).status]).toEqual([409, 200])
  for (const nonce of [null, '', 'undefined', '4', -1, 1.5, 2 ** 32, [4]])
    expect((await acting(nonce)).body, String(nonce)).toMatchObject({
      status: 400,
      problems: [{ path: '/params/nonce' }],
    })
  expect((await acting(2 ** 32 - 1)).status).toBe(409)
})

test('a name is stored as the text that was sent, also one that looks like hex; control characters are refused', async () => {
  const did = await newDid()
  const [plain, odd] = [registryId('8'), registryId('9')]
  const init = (registryId: string, name: string) =>
    act(did, 'init_or_update_trust_registry', { registryId, name, govFramework: 'x' })
  expect((await init(plain, '0x01')).status).toBe(200)
  await loop.untilDone()
  const { rows } = await scratch.db.read('system', (reader) =>
    sql<{ name: string }>`select name from ledger.trust_registry where registry_id = ${plain}`.execute(reader),
  )
  expect(rows).toEqual([{ name: '0x01' }])
  for (const name of ['a\u0001', '\u202eevil', '0x\u0000', ' '])
    expect((await init(odd, name)).status, JSON.stringify(name)).toBe(400)
})

test('1 to 64 things are done in one action, whoever signs; none or one more is refused before anything happens', async () => {
  const did = await newDid()
  await loop.untilDone()
  const registries = (count: number, kind: string) =>
    Array.from({ length: count }, (_, i) => ({
      action: 'init_or_update_trust_registry',
      params: { registryId: `0x${kind}${i.toString(16).padStart(62, '0')}`, name: `№ ${i}`, govFramework: 'x' },
    }))
  const acts = (count: number) =>
    ask(team, 'POST', '/ledger/actions', { did, actions: registries(count, count === 1 ? 'e1' : 'e2') })
  const prepares = (count: number) =>
    ask(team, 'POST', '/ledger/actions/prepare', { did: someDidKey(), keyId: 0, actions: registries(count, 'e3') })
  for (const send of [acts, prepares])
    for (const count of [0, 65])
      expect(await send(count)).toMatchObject({ status: 400, body: { message: expect.stringMatching(/actions/) } })
  for (const count of [1, 64]) {
    expect((await prepares(count)).body.calls).toHaveLength(count)
    const { body } = await acts(count)
    await loop.untilDone()
    expect((await ask(team, 'GET', `/jobs/${body.id}`)).body.status).toBe('finalized')
  }
})

test("a refusal by the ledger ends the job with the pallet's error and its documentation", async () => {
  const did = await newDid()
  const { body } = await act(did, 'suspend_issuers', { registryId: registryId('9'), issuers: [did] })
  await loop.untilDone()
  const job = await ask(team, 'GET', `/jobs/${body.id}`)
  expect(job.body).toMatchObject({
    status: 'error',
    result: { type: 'NotFound', message: expect.stringMatching(/\w+ \w+/) },
  })
})

test('a DID of another team is as unknown as one that does not exist', async () => {
  const did = await newDid()
  const remove = { registryId: registryId('1') }
  const [theirs, nobodys] = [
    await act(did, 'remove_trust_registry', remove, stranger),
    await act(`${did}x`, 'remove_trust_registry', remove),
  ]
  expect(theirs).toEqual(nobodys)
  expect(theirs.body).toMatchObject({ status: 404, type: 'not_found' })
})

test.each([
  ['an unknown action', 'System.remark', { remark: '0x' }, /^action is not one of Did\.add_keys/],
  ['an action of accounts', 'Did.dispatch_as', {}, /^action is not one of/],
  [
    'a wrong member',
    'suspend_issuers',
    { registryId: registryId('1'), issuers: ['did:web:'] },
    /^params\.issuers\[0\] must be a DID/,
  ],
  ['a missing member', 'suspend_issuers', { registryId: registryId('1') }, /^params\.issuers is missing/],
])('%s is refused with a sentence that names it', async (_what, action, params, message) => {
  const { body } = await act(await newDid(), action, params)
  expect(body).toMatchObject({ status: 400, type: 'invalid_request', message: expect.stringMatching(message) })
})

test('keys of a DID that the service keeps are not added behind its back', async () => {
  const did = await newDid()
  const key = { key: { Ed25519: registryId('7') }, relationships: 0 }
  for (const name of SPELLINGS) {
    const added = await act(did, 'Did.add_keys', { [name]: did, keys: [key] })
    const rotated = await act(did, 'Did.rotate_key', { [name]: did, old: 1, new: key })
    for (const { body } of [added, rotated])
      expect(body, name).toMatchObject({ status: 400, message: expect.stringMatching(/PATCH \/dids/) })
  }
  const two = await act(did, 'Did.add_keys', { did: await newDid(), Did: did, keys: [key] })
  expect(two.body).toMatchObject({ status: 400, message: 'params.did is given twice' })
})

test('the last key of a DID that acts and issues here is not revoked, in whatever spelling; a rotated one is', async () => {
  const did = await newDid()
  for (const name of SPELLINGS)
    for (const keys of [[1], ['1'], [2, 1], [1, 99]]) {
      const { body } = await act(did, 'Did.revoke_keys', { [name]: did, Keys: keys })
      expect(body, `${name} ${keys}`).toMatchObject({ status: 400, message: expect.stringMatching(/rotate first/) })
    }
  await loop.untilDone()
  const rotated = await ask(team, 'PATCH', `/dids/${did}`, { keyType: 'ed25519' })
  expect((await act(did, 'Did.revoke_keys', { did, keys: [1] })).status).toBe(400)
  await loop.untilDone()
  expect((await ask(team, 'GET', `/jobs/${rotated.body.id}`)).body.status).toBe('finalized')
  expect((await act(did, 'Did.revoke_keys', { did, keys: [4] })).status).toBe(400)
  const { body } = await act(did, 'Did.revoke_keys', { did, keys: [1, 2] })
  await loop.untilDone()
  expect((await ask(team, 'GET', `/jobs/${body.id}`)).body).toMatchObject({ status: 'finalized' })
  expect((await act(did, 'remove_trust_registry', { registryId: registryId('7') })).status).toBe(200)
  await loop.untilDone()
})

test('a key that the ledger revoked does not count as left, before the follower has told it', async () => {
  const did = await newDid()
  await loop.untilDone()
  await ask(team, 'PATCH', `/dids/${did}`, { keyType: 'ed25519' })
  await loop.untilDone()
  const { body } = await act(did, 'Did.revoke_keys', { did, keys: [1] })
  await loop.untilDone()
  expect((await ask(team, 'GET', `/jobs/${body.id}`)).body.status).toBe('finalized')
  // The job has ended here, and the event that it made is not told yet.
  await scratch.db.call(sql`update service.did_keys set state = 'active' where did = ${did} and key_id = 1`)
  const last = await act(did, 'Did.revoke_keys', { did, keys: [4] })
  expect(last.body).toMatchObject({ status: 400, message: expect.stringMatching(/rotate first/) })
})

test('the second of two revocations at once is refused where they take the last keys of a DID kept here', async () => {
  const did = await newDid()
  await loop.untilDone()
  // The second key is as good as the first; the number only keeps it from being the one that acts.
  await scratch.db.call(sql`
    insert into service.did_keys (did, team_id, key_id, kind, public_key, key_ref, relationships, state)
    select did, team_id, 0, kind, ${registryId('b')}, ${`second ${did}`}, relationships, state
    from service.did_keys where did = ${did} and key_id = 1`)
  const revoke = (key: number) => act(did, 'Did.revoke_keys', { did, keys: [key] })
  const [holder, watcher] = [0, 1].map(() => new pg.Client({ connectionString: scratch.adminUrl }))
  await Promise.all([holder?.connect(), watcher?.connect()])
  await holder?.query('begin')
  await holder?.query('select from service.dids where did = $1 for update', [did])
  const both = Promise.all([revoke(0), revoke(1)])
  const waiting = async () => (await watcher?.query(WAITING))?.rowCount
  await expect.poll(waiting).toBe(2)
  await holder?.query('commit')
  const answers = await both
  await Promise.all([holder?.end(), watcher?.end()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  const refused = answers.find(({ status }) => status === 400)
  expect(refused?.body.message).toMatch(/rotate first/)
  const accepted = answers.find(({ status }) => status === 200)
  await loop.untilDone()
  expect((await ask(team, 'GET', `/jobs/${accepted?.body.id}`)).body.status).toMatch(/finalized|error/)
})

test('the ledger decides of the DIDs of others, and whether the service keeps them is not told', async () => {
  const own = await newDid()
  const [theirs, forgotten] = [await newDid(stranger), await newDid(stranger)]
  const kept = { key: { Ed25519: registryId('7') }, relationships: 0 }
  const calls = (did: string): [string, object][] => [
    ['Did.add_keys', { did, keys: [kept] }],
    ['Did.rotate_key', { did, old: 1, new: kept }],
    ['Did.revoke_keys', { did, keys: [1] }],
    ['Did.deactivate', { did }],
  ]
  await loop.untilDone()
  await ask(stranger, 'DELETE', `/dids/${forgotten}?fromBlockchain=false`)
  const started = []
  for (const [action, params] of [...calls(theirs), ...calls(forgotten)]) started.push(await act(own, action, params))
  expect(started.map(({ status }) => status)).toEqual(started.map(() => 200))
  await loop.untilDone()
  const ends = []
  for (const { body } of started) ends.push((await ask(team, 'GET', `/jobs/${body.id}`)).body.result.type)
  expect(ends).toEqual(Array(8).fill('NotAuthorized'))
})

test('a ledger action does not deactivate a DID of the service, and names the operation for that', async () => {
  const did = await newDid()
  for (const name of SPELLINGS) {
    const { body } = await act(did, 'Did.deactivate', { [name]: did })
    expect(body, name).toMatchObject({ status: 400, message: expect.stringMatching(/DELETE \/dids/) })
  }
})

test('a retry with the same Idempotency-Key is the same job', async () => {
  const did = await newDid()
  const wish = { did, action: 'remove_trust_registry', params: { registryId: registryId('8') } }
  const send = () => ask(team, 'POST', '/ledger/actions', wish, { 'idempotency-key': 'once' })
  expect((await send()).body).toEqual((await send()).body)
})
