import { calls, didToHex, parseDid } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { jobs } from '../jobs/index.js'
import { startJob } from '../ledger/start-job.js'
import {
  outgoingEvents,
  type ScratchDatabase,
  scratchDatabase,
  type TestTeam,
  testContext,
  testTeam,
} from '../platform/testing.js'
import { profiles } from '../profiles/index.js'
import { sweepKeys } from './did.jobs.js'
import { actingKey, ownDid, signingKey } from './did.store.js'
import { dids } from './index.js'
import { type Loop, startLoop } from './loop.testing.js'

let scratch: ScratchDatabase
let loop: Loop
let app: FastifyInstance
let mine: TestTeam
let other: TestTeam

beforeAll(async () => {
  scratch = await scratchDatabase()
  loop = await startLoop(scratch)
  app = await buildApp(loop.environment, [jobs, dids, profiles])
  mine = await testTeam(scratch.db)
  other = await testTeam(scratch.db)
})
afterAll(async () => {
  await app?.close()
  await loop?.close()
  await scratch?.close()
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const call = (method: Method, url: string, payload?: object | string, team = mine) =>
  app.inject({
    ...{ method, url, headers: { 'svc-api-token': team.apiKey, 'content-type': 'application/json' } },
    ...(payload === undefined ? {} : { payload }),
  })
const create = async (body: object = {}, team = mine) => (await call('POST', '/dids', body, team)).json()
const finalDid = async (body: object = {}): Promise<string> => {
  const { did } = await create(body)
  await loop.settle()
  return did
}
const jobOf = async (id: string) => (await call('GET', `/jobs/${id}`)).json()
const eventsOf = async (did: string) =>
  (await outgoingEvents(scratch, mine.team)).filter(({ data }) => data.userData === did).map(({ event }) => event)

describe('rotation', () => {
  test('lets a new key sign at once and retires the old one, which is destroyed', async () => {
    const did = await finalDid()
    const before = await scratch.db.read('system', (reader) => signingKey(reader, did))
    const { versionId } = (await call('GET', `/dids/${did}?at=${new Date().toISOString()}`)).json().didDocumentMetadata
    const rotation = await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })
    expect(rotation.json()).toMatchObject({ data: { did, controller: did } })
    const after = await scratch.db.read('system', (reader) => signingKey(reader, did))
    expect(after).toMatchObject({ keyId: 4, verificationMethod: `${did}#keys-4` })
    const pending = await call('GET', `/dids/${did}`)
    expect(pending.headers['accredit-pending']).toBe('true')
    expect(pending.json().authentication).toEqual([`${did}#keys-4`])

    await loop.settle()
    expect(await jobOf(rotation.json().id)).toMatchObject({ status: 'finalized' })
    expect((await call('GET', `/dids/${did}`)).json()).toEqual(pending.json())
    expect((await call('GET', `/dids/${did}?at=${versionId}`)).json().authentication).toEqual([`${did}#keys-1`])
    expect(await eventsOf(did)).toEqual(['did_create', 'did_update_key'])
    await sweepKeys(loop.environment)
    const sign = (keyRef = '') => loop.environment.signer.sign([{ keyRef, bytes: new Uint8Array(4) }])
    await expect(sign(before?.keyRef)).rejects.toThrow()
    await expect(sign(after?.keyRef)).resolves.toHaveLength(1)
  })

  test('of another kind of key adds its first, then takes its place, and leaves the one that acts alone', async () => {
    const did = await finalDid()
    const keys = async () => {
      const { verificationMethod, capabilityInvocation } = (await call('GET', `/dids/${did}`)).json()
      expect(capabilityInvocation).toEqual([`${did}#keys-1`])
      return verificationMethod.map(({ id }: { id: string }) => Number(id.split('-').at(-1)))
    }
    const numbers = []
    for (const keyType of ['bjj', 'bjj', 'secp256k1']) {
      const { id } = (await call('PATCH', `/dids/${did}`, { keyType })).json()
      const pending = await keys()
      await loop.settle()
      expect(await jobOf(id)).toMatchObject({ status: 'finalized' })
      expect(await keys()).toEqual(pending)
      numbers.push(pending)
    }
    expect(numbers).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 5],
      [1, 2, 3, 5, 6],
    ])
  })

  test('of services changes where messages go, removes it, and brings it back, together with the rest', async () => {
    const did = await finalDid()
    const change = (body: object) => call('PATCH', `/dids/${did}`, body)
    const inboxes = async () =>
      ((await call('GET', `/dids/${did}`)).json().service ?? []).map(
        ({ serviceEndpoint }: { serviceEndpoint: { uri: string }[] }) => serviceEndpoint[0]?.uri,
      )
    const [here] = await inboxes()
    const there = 'https://example.org/inbox'
    for (const [body, expected] of [
      [{ didcommServiceUrl: there, keyType: 'ed25519' }, [there]],
      [{ includeDidcommService: false }, []],
      [{ includeDidcommService: true }, [here]],
    ] as const) {
      const { id } = (await change(body)).json()
      expect(await inboxes()).toEqual(expected)
      await loop.settle()
      expect(await jobOf(id)).toMatchObject({ status: 'finalized' })
      expect(await inboxes()).toEqual(expected)
    }
    expect((await change({ includeDidcommService: true })).json().id).toBe('0')
    expect((await call('GET', `/dids/${did}`)).json().authentication).toEqual([`${did}#keys-4`])
  })

  test('twice in a row, before anything is final, ends with the newest key', async () => {
    const { did } = await create()
    const answers = await Promise.all([1, 2].map(() => call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })))
    await loop.settle()
    for (const answer of answers) expect(await jobOf(answer.json().id)).toMatchObject({ status: 'finalized' })
    expect((await call('GET', `/dids/${did}`)).json().authentication).toEqual([`${did}#keys-5`])
    const metadata = (await call('GET', `/dids/${did}/metadata`)).json()
    expect(metadata.keyId).toBe(`${did}#keys-5`)
  })

  test('of the controller takes the place of the one before; to itself, nobody else controls it', async () => {
    const [first, second] = [await finalDid(), await finalDid()]
    const did = await finalDid({ controller: first })
    const change = (controller: string) => call('PATCH', `/dids/${did}`, { controller })
    const controllers = async () => (await call('GET', `/dids/${did}`)).json().controller
    await change(second)
    expect(await controllers()).toEqual([did, second])
    await loop.settle()
    expect(await controllers()).toEqual([did, second])
    expect((await change(second)).json().id).toBe('0')
    await change(did)
    await loop.settle()
    expect(await controllers()).toEqual([did])
    expect(await eventsOf(did)).toEqual(['did_create', 'did_update_controller', 'did_update_controller'])
  })

  test('that the ledger refuses is undone, and the old key signs again', async () => {
    const [controller, did] = [await finalDid(), await finalDid()]
    const before = (await call('GET', `/dids/${did}`)).json().service
    const wish = { keyType: 'ed25519', controller, didcommServiceUrl: 'https://example.org/inbox' }
    const change = await call('PATCH', `/dids/${did}`, wish)
    expect((await call('GET', `/dids/${did}`)).json().service).not.toEqual(before)
    // As if the ledger had lost the key that acts.
    await scratch.db.transaction('system', (tx) =>
      sql`update ledger_actions set action = action || '{"keyId": 99}' where job_id = ${change.json().id}`.execute(tx),
    )
    await loop.settle()
    const job = await jobOf(change.json().id)
    expect(job).toMatchObject({ status: 'error', result: { type: 'KeyNotFound', message: expect.any(String) } })
    const document = (await call('GET', `/dids/${did}`)).json()
    expect([document.controller, document.authentication]).toEqual([[did], [`${did}#keys-1`]])
    expect(await scratch.db.read('system', (reader) => ownDid(reader, did))).toMatchObject({
      services: [{ endpoints: [before[0].serviceEndpoint[0].uri] }],
    })
    expect((await call('GET', `/dids/${did}/metadata`)).json()).toMatchObject({
      controller: did,
      keyId: `${did}#keys-1`,
    })
    await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })
    await loop.settle()
    expect((await call('GET', `/dids/${did}`)).json().authentication).toEqual([`${did}#keys-4`])
  })
})

test('what another controller does to a DID on the ledger is followed: a key that it revoked signs no more', async () => {
  const controller = await finalDid()
  const did = await finalDid({ controller })
  const parsed = parseDid(did)
  const id = parsed && didToHex(parsed)
  const ctx = testContext(scratch, mine)
  await ctx.db.transaction(ctx.scope, async (tx) => {
    const key = await actingKey(tx, controller)
    const encoded = id === undefined ? [] : [calls.did.revokeKeys({ did: id, keys: [1] })]
    const action = { kind: 'dispatch' as const, ...key, calls: encoded }
    await startJob(tx, ctx, { kind: 'elsewhere', parts: [{ did: controller, action }] })
  })
  await loop.settle()
  expect((await call('GET', `/dids/${did}`)).json().authentication).toEqual([])
  expect(await scratch.db.read('system', (reader) => signingKey(reader, did))).toBeUndefined()
  expect(await scratch.db.read('system', (reader) => signingKey(reader, controller))).toMatchObject({ keyId: 1 })
})

describe('deletion', () => {
  test('deactivates on the ledger for ever, destroys the keys, and leaves the past', async () => {
    const did = await finalDid()
    const key = await scratch.db.read('system', (reader) => signingKey(reader, did))
    const { versionId } = (await call('GET', `/dids/${did}?at=${new Date().toISOString()}`)).json().didDocumentMetadata
    const answer = (await call('DELETE', `/dids/${did}`, '')).json()
    expect(answer).toMatchObject({ data: { status: 'pending', deleted: true } })
    expect((await call('GET', `/dids/${did}`)).statusCode).toBe(404)
    await expect(scratch.db.transaction('system', (tx) => actingKey(tx, did))).rejects.toMatchObject({
      type: 'not_found',
    })
    await loop.settle()
    expect(await jobOf(answer.id)).toMatchObject({ status: 'finalized' })
    expect((await call('GET', `/dids/${did}`)).json()).toMatchObject({ status: 404, type: 'not_found' })
    expect((await call('GET', `/dids/${did}`, undefined, other)).statusCode).toBe(404)
    const now = await call('GET', `/dids/${did}?at=${encodeURIComponent(new Date().toISOString())}`)
    expect(now.json()).toMatchObject({ id: did, didDocumentMetadata: { deactivated: true } })
    expect(now.json()).not.toHaveProperty('verificationMethod')
    expect((await call('GET', `/dids/${did}?versionId=${versionId}`)).json().authentication).toHaveLength(1)
    expect(await eventsOf(did)).toEqual(['did_create', 'did_delete'])
    await sweepKeys(loop.environment)
    await expect(
      loop.environment.signer.sign([{ keyRef: key?.keyRef ?? '', bytes: new Uint8Array(4) }]),
    ).rejects.toThrow()
  })

  test('is refused while the DID convenes a registry', async () => {
    const did = await finalDid()
    await scratch.db.transaction('system', (tx) =>
      tx
        .insertInto('trust_registries')
        .values({
          registry_id: `0x${'11'.repeat(32)}`,
          team_id: mine.team,
          convener: did,
          state: 'pending',
          job_id: '1',
          created: new Date(),
        })
        .execute(),
    )
    expect((await call('DELETE', `/dids/${did}`)).json()).toMatchObject({ status: 409, type: 'conflict' })
    expect((await call('GET', `/dids/${did}`)).statusCode).toBe(200)
  })

  test('with fromBlockchain=false only forgets it here', async () => {
    const did = await finalDid()
    expect((await call('DELETE', `/dids/${did}?fromBlockchain=false`)).json().id).toBe('0')
    expect((await call('GET', `/dids/${did}/metadata`)).statusCode).toBe(404)
    expect((await call('GET', `/dids/${did}`)).statusCode).toBe(200)
  })

  test('of nothing is 405', async () => {
    expect((await call('DELETE', '/dids/')).json()).toMatchObject({ status: 405, type: 'method_not_allowed' })
  })
})
