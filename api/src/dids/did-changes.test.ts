import { randomBytes } from 'node:crypto'
import { calls, didToHex, type Hex32, hexOf, parseDid, parseHex32, possessionBytes } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { jobsWith } from '../jobs/operations.js'
import { startJob } from '../ledger/write/start-job.js'
import { requestAs } from '../platform/testing/request-as.js'
import {
  outgoingEvents,
  type ScratchDatabase,
  type TestTeam,
  testContext,
  testTeam,
} from '../platform/testing/scratch-database.js'
import { profiles } from '../profiles/operations.js'
import { sweepKeys } from './did.jobs.js'
import { actingKey, nextKeyId, ownDid, signingKey } from './did.store.js'
import { type CommonLoop, commonLoop } from './loop.testing.js'
import { dids } from './operations.js'

const jobs = jobsWith(() => ({}))

let scratch: ScratchDatabase
let loop: CommonLoop
let app: FastifyInstance
let mine: TestTeam
let other: TestTeam

beforeAll(async () => {
  loop = await commonLoop()
  scratch = loop.scratch
  app = await buildApp(loop.environment, [jobs, dids, profiles])
  mine = await testTeam(scratch.db)
  other = await testTeam(scratch.db)
})
afterAll(async () => {
  await app?.close()
})

const call = (method: string, url: string, payload?: object | string, team = mine) =>
  requestAs(app, team, method, url, payload)
const create = async (body: object = {}, team = mine) => (await call('POST', '/dids', body, team)).json()
const finalDid = async (body: object = {}): Promise<string> => {
  const { did } = await create(body)
  await loop.untilDone()
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

    await loop.untilDone()
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
      await loop.untilDone()
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
      await loop.untilDone()
      expect(await jobOf(id)).toMatchObject({ status: 'finalized' })
      expect(await inboxes()).toEqual(expected)
    }
    expect((await change({ includeDidcommService: true })).json().id).toBe('0')
    expect((await call('GET', `/dids/${did}`)).json().authentication).toEqual([`${did}#keys-4`])
  })

  test('twice in a row, before anything is final, ends with the newest key', async () => {
    const { did } = await create()
    const answers = await Promise.all([1, 2].map(() => call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })))
    await loop.untilDone()
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
    await loop.untilDone()
    expect(await controllers()).toEqual([did, second])
    expect((await change(second)).json().id).toBe('0')
    await change(did)
    await loop.untilDone()
    expect(await controllers()).toEqual([did])
    expect(await eventsOf(did)).toEqual(['did_create', 'did_update_controller', 'did_update_controller'])
  })

  test('that the ledger refuses is undone, and the old key signs again', async () => {
    const [controller, did] = [await finalDid(), await finalDid()]
    const before = (await call('GET', `/dids/${did}`)).json().service
    const wish = { keyType: 'ed25519', controller, didcommServiceUrl: 'https://example.org/inbox' }
    const change = await call('PATCH', `/dids/${did}`, wish)
    expect((await call('GET', `/dids/${did}`)).json().service).not.toEqual(before)
    // The index is as if the ledger had lost the key that acts.
    await scratch.db.transaction('system', (tx) =>
      sql`update ledger_actions set action = action || '{"keyId": 99}' where job_id = ${change.json().id}`.execute(tx),
    )
    await loop.untilDone()
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
    await loop.untilDone()
    expect((await call('GET', `/dids/${did}`)).json().authentication).toEqual([`${did}#keys-4`])
  })
})

/** Lets a DID make a call that no operation of the api stands for; returns the id of its job. */
async function act(did: string, ...encoded: Uint8Array[]): Promise<string> {
  const ctx = testContext(scratch, mine)
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const action = { kind: 'dispatch' as const, ...(await actingKey(tx, did)), calls: encoded }
    return (await startJob(tx, ctx, { kind: 'elsewhere', parts: [{ did, action }] })).id
  })
}
const idOf = (did: string): Hex32 => {
  const parsed = parseDid(did)
  const id = parsed && didToHex(parsed)
  if (id === undefined) throw new Error('not a DID of the ledger')
  return id
}

test('a rotation after another controller added keys takes the next number, and both keep their keys', async () => {
  const controller = await finalDid()
  const did = await finalDid({ controller })
  const id = idOf(did)
  const [made] = await loop.environment.signer.makeKeys('elsewhere/1', ['Ed25519'])
  const genesisHash = parseHex32((await loop.environment.signer.chainStatus()).genesisHash)
  const publicKey = parseHex32(made?.publicKey ?? '')
  if (made === undefined || genesisHash === undefined || publicKey === undefined) throw new Error('no key was made')
  const key = { kind: made.kind, publicKey }
  const bytes = possessionBytes({ genesisHash, did: id, key })
  const [possession] = await loop.environment.signer.sign([{ keyRef: made.keyRef, bytes }])
  const input = { key, relationships: 2, possession: hexOf(possession ?? new Uint8Array()) }
  const added = await act(controller, calls.did.addKeys({ did: id, keys: [input] }))
  await loop.untilDone()
  expect((await jobOf(added)).status).toBe('finalized')

  for (const number of [5, 6]) {
    const rotation = await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })
    const method = `${did}#keys-${number}`
    expect(await scratch.db.read('system', (reader) => signingKey(reader, did))).toMatchObject({
      verificationMethod: method,
    })
    const pending = await call('GET', `/dids/${did}`)
    expect(pending.json().assertionMethod).toEqual([`${did}#keys-2`, `${did}#keys-4`, method])
    await loop.untilDone()
    expect((await jobOf(rotation.json().id)).status).toBe('finalized')
    expect((await call('GET', `/dids/${did}`)).json()).toEqual(pending.json())
  }
})

test('a pending key is numbered after those that another controller added meanwhile', async () => {
  const did = await finalDid()
  await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })
  const next = await scratch.db.transaction('system', async (tx) => {
    // The index is as if it had brought a key of somebody else after ours was numbered.
    await sql`update did_keys set key_id = 3 where did = ${did} and key_id = 4`.execute(tx)
    const number = await nextKeyId(tx, did)
    await sql`update did_keys set key_id = 4 where did = ${did} and state = 'pending'`.execute(tx)
    return number
  })
  expect(next).toBe(5)
  await loop.untilDone()
})

test('a key that another controller revoked on the ledger no longer signs here', async () => {
  const controller = await finalDid()
  const did = await finalDid({ controller })
  await act(controller, calls.did.revokeKeys({ did: idOf(did), keys: [1] }))
  await loop.untilDone()
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
    await loop.untilDone()
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
    expect((await call('DELETE', `/dids/${did}`, undefined, other)).json()).toMatchObject({ status: 404 })
    expect((await call('GET', `/dids/${did}`)).statusCode).toBe(200)
  })

  test('with fromBlockchain=false only forgets it here', async () => {
    const did = await finalDid()
    expect((await call('DELETE', `/dids/${did}?fromBlockchain=false`)).json().id).toBe('0')
    expect((await call('GET', `/dids/${did}/metadata`)).statusCode).toBe(404)
    expect((await call('GET', `/dids/${did}`)).statusCode).toBe(200)
  })

  test('while its creation and a rotation are on their way, never makes it disappear, and both happen', async () => {
    const made = await create()
    const did: string = made.did
    const rotation = await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })
    const key = await scratch.db.read('system', (reader) => signingKey(reader, did))
    expect((await call('DELETE', `/dids/${did}?fromBlockchain=false`)).json().id).toBe('0')
    await sweepKeys(loop.environment)
    const pending = await call('GET', `/dids/${did}`)
    expect([pending.statusCode, pending.headers['accredit-pending']]).toEqual([200, 'true'])
    await loop.untilDone()
    for (const id of [made.id, rotation.json().id]) expect((await jobOf(id)).status).toBe('finalized')
    const final = await call('GET', `/dids/${did}`)
    expect([final.statusCode, final.headers['accredit-pending']]).toEqual([200, undefined])
    expect(final.json()).toEqual(pending.json())
    expect(final.json().authentication).toEqual([`${did}#keys-4`])
    await sweepKeys(loop.environment)
    const sign = loop.environment.signer.sign([{ keyRef: key?.keyRef ?? '', bytes: new Uint8Array(4) }])
    await expect(sign).rejects.toThrow()
  })

  test('keeps the keys until everything that the DID was accepted for is signed', async () => {
    const did = await finalDid()
    const registryId = parseHex32(hexOf(randomBytes(32)))
    const [policy] = [parseDid(did)].filter((one) => one !== undefined)
    if (registryId === undefined || policy === undefined) throw new Error('bad ids')
    const kind = { StatusList: { length: 8 * 16_384 } }
    const job = await act(did, calls.revocation.create({ registryId, policy: [policy], addOnly: false, kind }))
    await call('DELETE', `/dids/${did}?fromBlockchain=false`)
    await sweepKeys(loop.environment)
    expect((await call('GET', `/dids/${did}`)).statusCode).toBe(200)
    await loop.untilDone()
    expect((await jobOf(job)).status).toBe('finalized')
  })

  test('of nothing is 405', async () => {
    expect((await call('DELETE', '/dids/')).json()).toMatchObject({ status: 405, type: 'method_not_allowed' })
  })
})
