/**
 * A convener whose key never leaves it, as a stranger would write it: only the public libraries of Polkadot, and REST.
 */
import { ApiPromise } from '@polkadot/api'
import { Keyring } from '@polkadot/keyring'
import type { KeyringPair } from '@polkadot/keyring/types'
import { hexToU8a, stringToU8a, u8aConcat, u8aToHex } from '@polkadot/util'
import { base58Decode, base58Encode, cryptoWaitReady, randomAsHex } from '@polkadot/util-crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { socketTo } from '../../../chain/embedded/src/testing/ledger-process.js'
import { buildApp } from '../app.js'
import { type Answer, TestService } from '../credentials/loop.testing.js'
import type { Json, JsonObject } from '../formats/json.js'
import { testTeam } from '../platform/testing/scratch-database.js'
import { actions } from './operations.js'
import { sweepPreparedActions } from './prepared-action.store.js'

let service: TestService
let ledger: ApiPromise
let admin: pg.Client

beforeAll(async () => {
  await cryptoWaitReady()
  service = await TestService.open()
  ledger = await ApiPromise.create({ provider: await socketTo(service.loop.ledgerUrl), noInitWarn: true })
  admin = new pg.Client({ connectionString: service.scratch.adminUrl })
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await ledger.disconnect()
  await service.close()
})

interface Owner {
  did: string
  keyId: number
  pair: KeyringPair
}

function newOwner(): Owner {
  const pair = new Keyring({ type: 'ed25519' }).addFromUri(randomAsHex(32))
  return { did: `did:key:z${base58Encode(u8aConcat([0xed, 0x01], pair.publicKey))}`, keyId: 0, pair }
}

interface Wish {
  action: string
  params: JsonObject
}

const wishOf = ({ did, keyId }: Owner, { action, params }: Wish): JsonObject => ({ action, params, did, keyId })
const post = (url: string, body: Json, apiKey?: string) => service.call('POST', url, body, apiKey)
const prepare = (owner: Owner, wish: Wish, apiKey?: string) =>
  post('/ledger/actions/prepare', wishOf(owner, wish), apiKey)

/** Signs what the service returned, once it is sure that this is what was wanted. */
function sign({ pair }: Owner, { action }: Wish, { payload, call }: { payload: string; call: string }): string {
  const { section, method } = ledger.createType('Call', call)
  expect(action.toLowerCase().replaceAll('_', '')).toBe(`${section}.${method}`.toLowerCase())
  expect(payload.startsWith(u8aToHex(stringToU8a('accredit/did/dispatch/v1')))).toBe(true)
  expect(payload).toContain(ledger.genesisHash.toHex().slice(2))
  // A list with this one call ends the list.
  expect(payload.endsWith(`04${call.slice(2)}`)).toBe(true)
  return u8aToHex(pair.sign(hexToU8a(payload)))
}

const bring = (owner: Owner, wish: Wish, signature: string, query = '', apiKey?: string) =>
  post(`/ledger/actions${query}`, { ...wishOf(owner, wish), signature }, apiKey)

async function act(owner: Owner, wish: Wish, apiKey?: string): Promise<Answer> {
  const prepared = await prepare(owner, wish, apiKey)
  expect(prepared).toMatchObject({ status: 200, body: { nonce: expect.any(Number) } })
  return bring(owner, wish, sign(owner, wish, prepared.body), '', apiKey)
}

const init = (registryId = randomAsHex(32)): Wish => ({
  action: 'TrustRegistry.init_or_update_trust_registry',
  params: { registryId, name: 'Kenya', govFramework: 'https://example.org/rules' },
})
const suspend = (registryId: string, issuers: string[]): Wish => ({
  action: 'TrustRegistry.suspend_issuers',
  params: { registryId, issuers },
})

const countOf = async (table: string): Promise<number> =>
  (await admin.query(`select count(*)::int as count from ${table}`)).rows[0].count

/** Counts the rows that an accepted action leaves. */
async function accepted(): Promise<number[]> {
  const counts: number[] = []
  for (const table of ['jobs', 'ledger_actions', 'ledger_sequences', 'audit'])
    counts.push(await countOf(`service.${table}`))
  return counts
}

/** Prepares the same action, and returns what there is to sign. */
const kept = async (): Promise<number[]> => [
  ...(await accepted()),
  await countOf('service.prepared_actions where nonce is not null'),
  await countOf('signer.actions'),
]

test('a convener with its own key founds a registry, lets a DID issue, and suspends it; a killed signer loses nothing', async () => {
  const convener = newOwner()
  const issuer = newOwner().did
  const [registryId, schema] = [randomAsHex(32), randomAsHex(32)]
  const founded = await act(convener, init(registryId))
  expect(founded).toMatchObject({ status: 200, body: { data: { did: convener.did } } })
  expect(await service.finished(founded.body.id)).toBe('finalized')

  const schemas: Wish = {
    action: 'TrustRegistry.set_schemas_metadata',
    params: { registryId, update: { Modify: { [schema]: { Add: { issuers: { [issuer]: { EUR: '5' } } } } } } },
  }
  const { body: prepared } = await prepare(convener, schemas)
  expect(prepared.nonce).toBe(2)
  const signature = sign(convener, schemas, prepared)
  await service.loop.killSigner()
  const dry = await bring(convener, schemas, signature, '?dryRun=true')
  expect(dry.body).toMatchObject({
    refusals: [],
    changes: expect.arrayContaining([
      {
        event: 'TrustRegistry.IssuerChanged',
        actor: convener.did,
        keyId: 0,
        registryId,
        schemaId: schema,
        subject: issuer,
        after: { prices: { EUR: '5' } },
      },
    ]),
  })
  const listed = await bring(convener, schemas, signature)
  expect(await service.finished(listed.body.id)).toBe('finalized')

  const suspended = await act(convener, suspend(registryId, [issuer]))
  expect(await service.finished(suspended.body.id)).toBe('finalized')

  const shown = await service.call('GET', `/trust-registries/${registryId}/public`, undefined, '')
  expect(shown).toMatchObject({ status: 200, body: { id: registryId, name: 'Kenya' } })
  const question = `/trust-registries/${registryId}/authorization?did=${issuer}&schema=${schema}&role=issuer`
  expect((await service.call('GET', question)).body).toMatchObject({ authorized: false, reason: 'suspended' })
  const history = await service.call('GET', `/trust-registries/${registryId}/history?order=asc`)
  expect(history.body.list.map(({ actor, keyId }: JsonObject) => [actor, keyId])).toEqual(
    history.body.list.map(() => [convener.did, 0]),
  )

  // The same request once more gives the same job, whatever happened since.
  expect((await bring(convener, schemas, signature)).body).toEqual(listed.body)
})

test('a signed action with a filled-in version is sent unchanged and answered by the same job, also after the registry changed', async () => {
  const convener = newOwner()
  const [registryId, schema] = [randomAsHex(32), randomAsHex(32)]
  const name = 'TrustRegistry.set_schemas_metadata'
  const done = async ({ body }: Answer) => expect(await service.finished(body.id)).toBe('finalized')
  await done(await act(convener, init(registryId)))
  const verifiers = [convener.did]
  const all: Wish = { action: name, params: { registryId, update: { Set: { [schema]: { issuers: {}, verifiers } } } } }
  const { body: prepared } = await prepare(convener, all)
  const versions = [{ registryId, expectedVersion: 0 }]
  expect(prepared.expectedVersions).toEqual(versions)
  const signature = sign(convener, all, prepared)
  const brought = await bring(convener, all, signature)
  expect(brought).toMatchObject({ status: 200, body: { data: { expectedVersions: versions } } })
  await done(brought)
  expect((await bring(convener, all, signature)).body).toEqual(brought.body)

  // A caller that names the version which was filled in asks for the same.
  const { body: again } = await prepare(convener, all)
  const named = { ...all, params: { ...all.params, ...again.expectedVersions[0] } }
  const late = sign(convener, all, again)
  await done(await bring(convener, named, late))
  // The action was signed, and then another one was faster: it is refused for that.
  const overtaken = sign(convener, all, (await prepare(convener, all)).body)
  const modify: Wish = { action: name, params: { registryId, update: { Modify: { [schema]: { Ensure: {} } } } } }
  await done(await act(convener, modify))
  const refused = await bring(convener, all, overtaken)
  expect([refused.status, refused.body.refusal]).toEqual([409, 'Did.BadNonce'])
})

test('a signature that is bad, late or out of turn is refused before it has a place', async () => {
  const owner = newOwner()
  const [first, second] = [init(), init()]
  const { body: one } = await prepare(owner, first)
  const { body: two } = await prepare(owner, second)
  expect([one.nonce, two.nonce]).toEqual([1, 1])
  const before = await accepted()
  const refused = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body.refusal]
  }
  const good = sign(owner, first, one)
  expect(await refused(bring(owner, first, sign(newOwner(), first, one)))).toEqual([400, 'Did.BadSignature'])
  expect(await refused(bring(owner, second, good))).toEqual([400, 'Did.BadSignature'])
  expect((await bring(owner, init(), good)).body.message).toMatch(/prepare/)
  const stranger = await testTeam(service.scratch.db)
  expect((await bring(owner, first, good, '', stranger.apiKey)).status).toBe(400)
  expect(await accepted()).toEqual(before)

  // The action is prepared twice, and the earlier one is signed.
  await prepare(owner, first)
  const brought = await bring(owner, first, good)
  expect(brought.status).toBe(200)
  expect(await refused(bring(owner, second, sign(owner, second, two)))).toEqual([409, 'Did.BadNonce'])
  expect(await service.finished(brought.body.id)).toBe('finalized')
  expect(await refused(bring(owner, second, sign(owner, second, two)))).toEqual([409, 'Did.BadNonce'])

  const late = init()
  const { body: past } = await prepare(owner, late)
  await admin.query('update service.prepared_actions set valid_until = 1 where nonce = 2')
  expect(await refused(bring(owner, late, sign(owner, late, past)))).toEqual([400, 'Did.Expired'])
})

test('the ledger’s refusal of a DID, its key or the call is told before there is anything to sign', async () => {
  const owner = newOwner()
  const refusal = async (from: Partial<Owner>, wish = init()) => (await prepare({ ...owner, ...from }, wish)).body
  expect(await refusal({ keyId: 1 })).toMatchObject({ status: 400, refusal: 'Did.KeyNotFound' })
  const unknown = `did:svc:${base58Encode(hexToU8a(randomAsHex(32)))}`
  expect(await refusal({ did: unknown })).toMatchObject({ status: 400, refusal: 'Did.NotFound' })
  expect(await refusal({ did: 'did:web:example.org' })).toMatchObject({ type: 'did_method_not_supported' })
  expect(await refusal({}, { action: 'System.remark', params: {} })).toMatchObject({ status: 400 })
  const convener = newOwner()
  const registryId = randomAsHex(32)
  const before = await kept()
  expect(await refusal({}, suspend(registryId, [owner.did]))).toMatchObject({
    status: 400,
    type: 'invalid_request',
    refusal: 'TrustRegistry.NotFound',
    message: expect.stringMatching(/^The ledger would refuse \(NotFound\): \w+ \w+/),
  })
  expect(await kept()).toEqual(before)

  // An action that was submitted before counts, whether or not the ledger has it by now.
  const removal: Wish = { action: 'TrustRegistry.remove_trust_registry', params: { registryId } }
  expect(await refusal(convener, removal)).toMatchObject({ refusal: 'TrustRegistry.NotFound' })
  const founded = await act(convener, init(registryId))
  expect(await prepare(convener, removal)).toMatchObject({ status: 200, body: { nonce: 2 } })
  expect(await service.finished(founded.body.id)).toBe('finalized')
  expect(await refusal({}, init(registryId))).toMatchObject({ refusal: 'TrustRegistry.NotAuthorized' })
})

test('an action that the ledger refuses after it was prepared is refused when it is brought, and has no place', async () => {
  const [one, other] = [newOwner(), newOwner()]
  const wish = init()
  const { body: prepared } = await prepare(other, wish)
  expect(await service.finished((await act(one, wish)).body.id)).toBe('finalized')
  const before = await accepted()
  const late = await bring(other, wish, sign(other, wish, prepared))
  expect(late).toMatchObject({ status: 400, body: { refusal: 'TrustRegistry.NotAuthorized' } })
  expect(await accepted()).toEqual(before)
})

test('signature and keyId come together', async () => {
  const owner = newOwner()
  const wish = init()
  const alone = await post('/ledger/actions', wishOf(owner, wish))
  expect(alone.body).toMatchObject({ status: 400, message: expect.stringMatching(/^signature is missing/) })
  const { keyId: _none, ...rest } = wishOf(owner, wish)
  const nameless = await post('/ledger/actions', { ...rest, signature: `0x${'0'.repeat(128)}` })
  expect(nameless.body).toMatchObject({ status: 400, message: expect.stringMatching(/^keyId is missing/) })
})

/** Gives a DID a key of its own, and the same without a proof that the caller has the key. */
function addedKey(did: string, { pair }: Owner): { wish: Wish; unproved: Wish } {
  const id = base58Decode(did.slice('did:svc:'.length))
  const key = u8aConcat([0], pair.publicKey)
  const proof = u8aConcat(stringToU8a('accredit/did/possess/v1'), ledger.genesisHash.toU8a(), id, key)
  const withProof = (possession: Uint8Array): Wish => ({
    action: 'Did.add_keys',
    params: {
      did,
      keys: [{ key: { Ed25519: u8aToHex(pair.publicKey) }, relationships: 0, possession: u8aToHex(possession) }],
    },
  })
  return { wish: withProof(pair.sign(proof)), unproved: withProof(pair.sign(key)) }
}

async function newestKey(did: string): Promise<{ keyId: number; publicKey: string }> {
  const { body } = await service.call('GET', `/dids/${did}/history?event=KeyAdded&order=desc`)
  return body.list[0].after
}

test('a controller adds a key to a DID that the service forgot, and the DID acts with it', async () => {
  const controller = newOwner()
  const { body: made } = await post('/dids', { controller: controller.did })
  await service.finished(made.id)
  const own = newOwner()
  const { wish, unproved } = addedKey(made.did, own)
  const kept = await prepare(controller, wish)
  expect(kept.body).toMatchObject({ status: 400, message: expect.stringMatching(/PATCH \/dids/) })

  expect((await service.call('DELETE', `/dids/${made.did}?fromBlockchain=false`)).status).toBe(200)
  const refused = await prepare(controller, unproved)
  expect(refused.body).toMatchObject({ status: 400, refusal: expect.stringMatching(/^Did\./) })
  const added = await act(controller, wish)
  expect(await service.finished(added.body.id)).toBe('finalized')

  const { keyId, publicKey } = await newestKey(made.did)
  expect(publicKey).toBe(u8aToHex(own.pair.publicKey))
  const founded = await act({ did: made.did, keyId, pair: own.pair }, init())
  expect(await service.finished(founded.body.id)).toBe('finalized')
})

test('a team that brings a signature of a convener owns its registries until the key is revoked', async () => {
  const controller = newOwner()
  const { body: made } = await post('/dids', { controller: controller.did })
  await service.finished(made.id)
  expect((await service.call('DELETE', `/dids/${made.did}?fromBlockchain=false`)).status).toBe(200)
  const own = newOwner()
  const added = await act(controller, addedKey(made.did, own).wish)
  expect(await service.finished(added.body.id)).toBe('finalized')
  const { keyId } = await newestKey(made.did)

  const { apiKey } = await testTeam(service.scratch.db)
  const registryId = randomAsHex(32)
  const founded = await act({ did: made.did, keyId, pair: own.pair }, init(registryId), apiKey)
  expect(await service.finished(founded.body.id, apiKey)).toBe('finalized')
  const url = `/trust-registries/${registryId}`
  const statuses = async (key: string) => {
    const answers = [
      await service.call('GET', url, undefined, key),
      await service.call('GET', `${url}/participants`, undefined, key),
      await service.call('GET', `${url}/waiting-actions`, undefined, key),
      await service.call('POST', `${url}/participants`, {}, key),
    ]
    return answers.map(({ status }) => status)
  }
  expect(await statuses(apiKey)).toEqual([200, 200, 200, 200])
  expect(await statuses(service.team.apiKey)).toEqual([404, 404, 404, 404])

  const revoked = await act(controller, { action: 'Did.revoke_keys', params: { did: made.did, keys: [keyId] } })
  expect(await service.finished(revoked.body.id)).toBe('finalized')
  expect(await statuses(apiKey)).toEqual([404, 404, 404, 404])
  expect(await statuses(service.team.apiKey)).toEqual([200, 200, 200, 200])
})

test('keys that the service makes after a controller added one act under their own numbers', async () => {
  const controller = newOwner()
  const { body: made } = await post('/dids', { controller: controller.did })
  await service.finished(made.id)
  const own = newOwner()
  const stranger = await testTeam(service.scratch.db)
  const { wish } = addedKey(made.did, own)
  const { body: prepared } = await prepare(controller, wish, stranger.apiKey)
  const added = await bring(controller, wish, sign(controller, wish, prepared), '', stranger.apiKey)
  expect(await service.finished(added.body.id, stranger.apiKey)).toBe('finalized')

  const rotated = await service.call('PATCH', `/dids/${made.did}`, { keyType: 'ed25519' })
  expect(await service.finished(rotated.body.id)).toBe('finalized')
  const founded = await post('/ledger/actions', { did: made.did, ...init() })
  expect(await service.finished(founded.body.id)).toBe('finalized')
})

test('keys that anyone can sign with are refused before there is anything to sign', async () => {
  for (const first of [0, 1]) {
    const did = `did:key:z${base58Encode(u8aConcat([0xed, 0x01, first], new Uint8Array(31)))}`
    const { body } = await prepare({ ...newOwner(), did }, init())
    const message = expect.stringMatching(/proves nothing/)
    expect(body).toMatchObject({ status: 400, refusal: 'Did.WeakKey', message })
  }
})

/** Starts a service that lets a team ask for three actions in a minute, with a team of its own. */
async function strictService(open: number) {
  const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
  const { config } = service.loop.environment
  const preparedActions = { ...config.preparedActions, perMinute: 3, open, validSeconds: 600 }
  const app = await buildApp({ ...service.loop.environment, clock, config: { ...config, preparedActions } }, [actions])
  const team = await testTeam(service.scratch.db)
  const owner = newOwner()
  const send = (url: string, payload: JsonObject) =>
    app.inject({ method: 'POST', url, headers: { 'svc-api-token': team.apiKey }, payload })
  const ask = async (wish = init()) => (await send('/ledger/actions/prepare', wishOf(owner, wish))).statusCode
  return { app, ask, clock, owner, send, team }
}

test('a refused action counts for the minute, and not among those that wait for a signature', async () => {
  const { app, ask, clock } = await strictService(1)
  const refused = () => ask(suspend(randomAsHex(32), [newOwner().did]))
  expect([await refused(), await refused(), await refused()]).toEqual([400, 400, 400])
  expect([await refused(), await ask()]).toEqual([429, 429])
  clock.aheadMs = 61_000
  expect([await refused(), await refused(), await ask(), await ask()]).toEqual([400, 400, 200, 429])
  await app.close()
})

test('a team has as many refused signatures in a minute as it may prepare actions; good ones do not count', async () => {
  const { app, clock, owner, send } = await strictService(9)
  const wish = init()
  const { payload, call } = (await send('/ledger/actions/prepare', wishOf(owner, wish))).json()
  const good = sign(owner, wish, { payload, call })
  const brought = async (signature: string, query = '') =>
    (await send(`/ledger/actions${query}`, { ...wishOf(owner, wish), signature })).statusCode
  const bad = sign(newOwner(), wish, { payload, call })
  expect([await brought(bad), await brought(bad, '?dryRun=true'), await brought(good, '?dryRun=true')]).toEqual([
    400, 400, 200,
  ])
  expect([await brought(bad), await brought(bad), await brought(good)]).toEqual([400, 429, 429])
  clock.aheadMs = 61_000
  expect(await brought(good)).toBe(200)
  await app.close()
})

test('a team prepares as many in a minute, and has as many waiting, as it may', async () => {
  const { app, ask, clock, team } = await strictService(4)
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429])
  clock.aheadMs = 61_000
  expect([await ask(), await ask()]).toEqual([200, 409])
  const left = async () =>
    (await admin.query('select from service.prepared_actions where team_id = $1', [team.team])).rowCount
  // An action that nobody signed in time makes room, and is forgotten after an hour.
  clock.aheadMs = 601_000
  expect(await ask()).toBe(200)
  clock.aheadMs = 3_700_000
  await sweepPreparedActions({ ...service.loop.environment, clock })
  expect(await left()).toBe(1)
  await app.close()
})
