import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { jobsWith } from '../jobs/operations.js'
import { requestAs } from '../platform/testing/request-as.js'
import { outgoingEvents, type ScratchDatabase, type TestTeam, testTeam } from '../platform/testing/scratch-database.js'
import { profiles } from '../profiles/operations.js'
import { sweepKeys } from './did.jobs.js'
import { actingKey, signingKey } from './did.store.js'
import { type CommonLoop, commonLoop } from './loop.testing.js'
import { dids } from './operations.js'
import { someDidKey, storedDid } from './testing.js'

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

describe('a new ledger DID', () => {
  test.each([
    ['nothing', ''],
    ['an empty object', {}],
    ['its type', { type: 'ledgerA' }],
    ['an alias', { type: 'dock' }],
    ['nulls', { did: null, controller: '' }],
  ])('from %s can be resolved at once, is pending until it is final, and the same afterwards', async (_what, body) => {
    const answer = await call('POST', '/dids/', body)
    const made = answer.json()
    expect(answer.statusCode).toBe(200)
    expect(made).toMatchObject({ did: made.data.did, controller: made.did, id: expect.stringMatching(/^[1-9]\d*$/) })
    expect(made.did).toMatch(/^did:svc:[1-9A-HJ-NP-Za-km-z]{32,}$/)
    expect(answer.headers['accredit-job']).toBe(made.id)

    const pending = await call('GET', `/dids/${made.did}`)
    expect(pending.headers['accredit-pending']).toBe('true')
    await loop.untilDone()
    const final = await call('GET', `/dids/${encodeURIComponent(made.did)}`)
    expect(final.headers['accredit-pending']).toBeUndefined()
    expect(Number(final.headers['accredit-block'])).toBeGreaterThan(0)
    expect(final.json()).toEqual(pending.json())
    expect(await jobOf(made.id)).toMatchObject({ status: 'finalized', result: { userData: made.did } })
    expect(await eventsOf(made.did)).toEqual(['did_create'])
  })

  test('has a key to sign, one for BBS and one for messages, and a service', async () => {
    const { did } = await create()
    const document = (await call('GET', `/dids/${did}`)).json()
    const key = (n: number) => `${did}#keys-${n}`
    expect(document).toMatchObject({
      authentication: [key(1)],
      assertionMethod: [key(1), key(2)],
      capabilityInvocation: [key(1)],
      keyAgreement: [key(3)],
      service: [
        {
          id: `${did}#didcomm`,
          type: 'DIDCommMessaging',
          serviceEndpoint: [{ uri: expect.stringMatching(/\/messaging\/receive$/), accept: ['didcomm/v2'] }],
        },
      ],
    })
    expect(document.publicKey[0].publicKeyBase58).toMatch(/^[1-9A-HJ-NP-Za-km-z]+$/)
    expect(document.verificationMethod[0].publicKeyMultibase).toMatch(/^z6Mk/)
    expect(document.verificationMethod[1].type).toBe('Bls12381BBSVerificationKeyDock2023')
  })

  test('has its service elsewhere or nowhere when it was asked for so', async () => {
    const at = await create({ didcommServiceUrl: 'https://example.org/inbox' })
    expect(JSON.stringify((await call('GET', `/dids/${at.did}`)).json().service)).toContain('https://example.org/inbox')
    const without = await create({ includeDidcommService: false })
    expect((await call('GET', `/dids/${without.did}`)).json()).not.toHaveProperty('service')
  })

  test.each([
    ['bjj', 'BJJVerificationKey2021', 'assertionMethod', undefined],
    ['secp256k1', 'EcdsaSecp256k1VerificationKey2019', 'authentication', 'true'],
    ['sr25519', 'Sr25519VerificationKey2020', 'authentication', 'true'],
  ])('of key type %s has an Ed25519 key beside it, which signs and acts', async (keyType, type, relationship, old) => {
    const answer = await call('POST', '/dids', { keyType })
    expect(answer.headers.deprecation).toBe(old)
    const { did } = answer.json()
    const pending = (await call('GET', `/dids/${did}`)).json()
    await loop.untilDone()
    const document = (await call('GET', `/dids/${did}`)).json()
    expect(document).toEqual(pending)
    expect(document.verificationMethod.map((method: { type: string }) => method.type).slice(3)).toEqual([type])
    expect(document[relationship]).toContain(`${did}#keys-4`)
    expect(document.capabilityInvocation).toEqual([`${did}#keys-1`])
    expect(await scratch.db.read('system', (reader) => signingKey(reader, did))).toMatchObject({ keyId: 1 })
  })

  test('takes another DID as a controller beside itself, also one that is only just accepted', async () => {
    const first = await create()
    const key = await create({ type: 'key' })
    for (const controller of [first.did, key.did]) {
      const made = await create({ controller })
      expect(made).toMatchObject({ controller, data: { controller } })
      await loop.untilDone()
      expect((await jobOf(made.id)).status).toBe('finalized')
      expect((await call('GET', `/dids/${made.did}`)).json().controller).toEqual([made.did, controller])
    }
  })

  test('can sign and act at once', async () => {
    const { did } = await create()
    const keys = await scratch.db.transaction({ teams: [mine.team], actor: 'test' }, async (reader) => [
      await actingKey(reader, did),
      await signingKey(reader, did),
    ])
    expect(keys).toMatchObject([
      { did, keyId: 1 },
      { keyId: 1, verificationMethod: `${did}#keys-1` },
    ])
    const theirs = scratch.db.transaction({ teams: [other.team], actor: 'test' }, (tx) => actingKey(tx, did))
    await expect(theirs).rejects.toMatchObject({ type: 'not_found' })
  })

  test('is made 200 times at once, each once', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => create()))
    expect(new Set(answers.map(({ did }) => did)).size).toBe(200)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(200)
    await loop.untilDone()
    const { rows, total } = await scratch.db.read('system', async (reader) => {
      const found = await reader.selectFrom('dids').select('did').where('status', '=', 'active').execute()
      return { rows: new Set(found.map(({ did }) => did)), total: found.length }
    })
    expect(total).toBeGreaterThanOrEqual(200)
    for (const { did } of answers) expect(rows.has(did)).toBe(true)
  })
})

describe('a did:key', () => {
  test('needs no ledger and resolves for everybody, at every point', async () => {
    const made = await create({ type: 'key' })
    expect(made).toMatchObject({
      id: '0',
      did: expect.stringMatching(/^did:key:z6Mk/),
      data: { did: made.did, controller: made.did },
    })
    const document = (await call('GET', `/dids/${made.did}`, undefined, other)).json()
    expect(document.assertionMethod).toEqual([`${made.did}#${made.did.slice(8)}`])
    expect((await call('GET', `/dids/${made.did}?at=1`)).json().id).toBe(made.did)
  })

  test('of bytes that are no key is no server error', async () => {
    const noPoint = 'did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd'
    for (let i = 0; i < 8; i++)
      expect((await call('GET', `/dids/${i === 0 ? noPoint : someDidKey()}`)).statusCode).toBeLessThan(500)
  })

  test('is forgotten here when it is deleted, with its key, and cannot be rotated', async () => {
    const { did } = await create({ type: 'key' })
    expect((await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' })).json()).toMatchObject({ status: 400 })
    const key = await scratch.db.read('system', (reader) => signingKey(reader, did))
    expect((await call('DELETE', `/dids/${did}`)).json()).toEqual({
      id: '0',
      data: { status: 'pending', deleted: true },
    })
    expect((await call('GET', `/dids/${did}/metadata`)).statusCode).toBe(404)
    expect((await call('DELETE', `/dids/${did}`)).statusCode).toBe(404)
    await sweepKeys(loop.environment)
    const { signer } = loop.environment
    await expect(signer.sign([{ keyRef: key?.keyRef ?? '', bytes: new Uint8Array(4) }])).rejects.toThrow()
  })
})

describe('the list', () => {
  test('shows a team its own, newest first, by type, with profiles', async () => {
    const team = await testTeam(scratch.db)
    const made = [await create({}, team), await create({ type: 'key' }, team), await create({}, team)]
    await call('POST', '/profiles', { did: made[2].did, name: 'Newest' }, team)
    const list = async (query = '') => (await call('GET', `/dids${query}`, undefined, team)).json()
    const items = await list()
    expect(items.map(({ did }: { did: string }) => did)).toEqual(made.map(({ did }) => did).reverse())
    expect(items[0]).toEqual({
      id: made[2].did,
      did: made[2].did,
      type: 'ledgerA',
      controller: made[2].did,
      credentialCount: '0',
      updatedLast: expect.stringMatching(/Z$/),
      profile: { name: 'Newest', logo: '', description: '' },
      keyId: `${made[2].did}#keys-1`,
      jobId: made[2].id,
      trustRegistries: [],
    })
    expect(items[1]).toMatchObject({ type: 'key', jobId: null, profile: null })
    expect((await call('GET', `/dids/${made[2].did}/metadata`, undefined, team)).json()).toEqual(items[0])
    expect(await list('?type=key')).toHaveLength(1)
    expect(await list('?type=cheqd&limit=1&offset=1')).toMatchObject([{ did: made[0].did }])
    expect(await list('?type=ledgerB')).toEqual([])
    for (const query of ['?type=x', '?limit=0', '?limit=65', '?offset=-1', '?limit=1e9']) {
      expect((await call('GET', `/dids${query}`, undefined, team)).statusCode).toBe(400)
    }
  })
})

test('another team gets the answers of a missing DID', async () => {
  const did = await storedDid(scratch, mine)
  const missing = 'did:svc:11111111111111111111111111111111'
  const calls: [method: string, url: string, body?: object][] = [
    ['GET', '/metadata'],
    ['PATCH', '', { keyType: 'ed25519' }],
    ['PATCH', '', { controller: did }],
    ['DELETE', ''],
  ]
  for (const [method, path, body] of calls) {
    const [theirs, none] = [
      await call(method, `/dids/${did}${path}`, body, other),
      await call(method, `/dids/${missing}${path}`, body, other),
    ]
    expect([theirs.statusCode, theirs.json()]).toEqual([404, none.json()])
  }
  const pending = await create()
  expect((await call('GET', `/dids/${pending.did}`, undefined, other)).statusCode).toBe(404)
})

test('a chosen DID is 409 where it exists, and 400 where it does not', async () => {
  const did = await finalDid()
  expect((await call('POST', '/dids', { did })).json()).toMatchObject({ status: 409, type: 'conflict' })
  expect((await call('POST', '/dids', { did }, other)).json()).toMatchObject({ status: 409 })
  expect((await call('POST', '/dids', { did: someDidKey() })).json()).toMatchObject({ status: 400 })
})
