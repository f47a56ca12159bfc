import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { jobsWith } from '../../jobs/operations.js'
import { SignerRefused } from '../../ledger/write/signer-door.js'
import { createLog } from '../../platform/process/log.js'
import { requestAs } from '../../platform/testing/request-as.js'
import {
  type ScratchDatabase,
  serviceDatabase,
  type TestTeam,
  testTeam,
} from '../../platform/testing/scratch-database.js'
import { profiles } from '../../profiles/operations.js'
import { profileAt } from '../../profiles/profile.store.js'
import { actingKey, signingKey } from '../did.store.js'
import { type Loop, startLoop } from '../loop.testing.js'
import { oddNames } from '../odd-names.testing.js'
import { dids } from '../operations.js'
import { encryptWallet } from './universal-wallet.js'
import { openWallets, walletOpener } from './wallet-documents.js'
import { fromSigner } from './wallet-errors.js'
import { passwordToKey } from './wallet-key.js'

const jobs = jobsWith(() => ({}))

let scratch: ScratchDatabase
let loop: Loop
let app: FastifyInstance
let admin: pg.Client
let [mine, other, member]: TestTeam[] = []
const lines: string[] = []

beforeAll(async () => {
  scratch = await serviceDatabase()
  loop = await startLoop(scratch)
  admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  app = await buildApp({ ...loop.environment, log: createLog('trace', 'test', sink) }, [jobs, dids, profiles])
  mine = await testTeam(scratch.db)
  other = await testTeam(scratch.db)
  member = await testTeam(scratch.db, 'administrator')
})
afterAll(async () => {
  await app?.close()
  await admin?.end()
  await loop?.close()
  await scratch?.close()
})

async function call(method: string, url: string, payload?: object, team = mine, headers: Record<string, string> = {}) {
  const answer = await requestAs(app, team, method, url, payload, headers)
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}
const password = 'correct horse'
const finalDid = async (body: object = {}): Promise<string> => {
  const { did } = (await call('POST', '/dids', body)).body
  await loop.untilDone()
  return did
}
const exported = async (did: string, query = '') =>
  (await call('POST', `/dids/${did}/export${query}`, { password })).body
const forget = (did: string, team = mine) => call('DELETE', `/dids/${did}?fromBlockchain=false`, undefined, team)
const opened = (wallet: unknown) => openWallets(wallet, walletOpener(password))
const taken = (data: unknown, team = other, given: string | null = password) =>
  call('POST', '/dids/import', { data, password: given }, team)
const storedRows = () =>
  scratch.db.read('system', (reader) => reader.selectFrom('did_keys').selectAll().orderBy('key_ref').execute())
/** The signer's own table, which no role of the api may see. */
const livingKeys = async (): Promise<string[]> => {
  const { rows } = await admin.query('select key_ref from signer.keys where sealed is not null order by 1')
  return rows.map((row) => row.key_ref)
}

describe('an exported DID', () => {
  test('is forgotten by one team, imported by another, and acts for it: issuing, rotating, exporting again', async () => {
    const did = await finalDid({ keyType: 'bjj' })
    const document = (await call('GET', `/dids/${did}`)).body
    const wallet = await exported(did)
    await forget(did)
    const { status, body, headers } = await taken(wallet)
    expect([status, body, headers['accredit-job']]).toEqual([200, { id: '0', data: { did } }, '0'])
    expect((await call('GET', `/dids/${did}`, undefined, other)).body).toEqual(document)
    expect((await call('GET', `/dids/${did}/metadata`, undefined, mine)).status).toBe(404)
    const listed = (await call('GET', `/dids/${did}/metadata`, undefined, other)).body
    expect(listed).toMatchObject({ did, type: 'ledgerA', jobId: null, keyId: `${did}#keys-1` })
    const key = await scratch.db.read('system', (reader) => signingKey(reader, did))
    const [signature] = await loop.environment.signer.sign([{ keyRef: key?.keyRef ?? '', bytes: Buffer.from('hello') }])
    expect(signature).toHaveLength(64)

    const { id } = (await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' }, other)).body
    await loop.untilDone()
    expect((await call('GET', `/jobs/${id}`, undefined, other)).body.status).toBe('finalized')
    expect((await call('GET', `/dids/${did}`, undefined, other)).body.authentication).toEqual([`${did}#keys-5`])
    const again = await call('POST', `/dids/${did}/export`, { password }, other)
    expect((await opened(again.body)).map(({ id: one }) => one)).toEqual([
      did,
      ...[2, 3, 4, 5].map((n) => `${did}#keys-${n}`),
    ])
  })

  test('gets its name from the team that imports it: the one before gave it up with the DID, and keeps its past', async () => {
    const did = await finalDid()
    const wallet = await exported(did)
    await call('POST', '/profiles', { did, name: 'Before' })
    await forget(did)
    const then = new Date()
    while (new Date() <= then);
    await taken(wallet)
    expect((await call('GET', `/dids/${did}/metadata`, undefined, other)).body.profile).toBeNull()
    const named = await call('POST', '/profiles', { did, name: 'After' }, other)
    expect([named.status, named.body.name]).toEqual([200, 'After'])
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const)
      expect((await call(method, `/profiles/${did}`, body)).status).toBe(404)
    const past = await scratch.db.read('public', (reader) => profileAt(reader, did, then))
    expect(past?.name).toBe('Before')
  })

  test('that its own team takes back still has its name', async () => {
    const did = await finalDid()
    const wallet = await exported(did)
    await call('POST', '/profiles', { did, name: 'Mine' })
    await forget(did)
    expect((await taken(wallet, mine)).status).toBe(200)
    expect((await call('GET', `/profiles/${did}`)).body.name).toBe('Mine')
  })

  test('that was forgotten is imported again only when its accepted actions are on the ledger', async () => {
    const [controller, did] = [await finalDid(), await finalDid()]
    const wallet = await exported(did)
    const change = (await call('PATCH', `/dids/${did}`, { controller })).body
    await forget(did)
    expect(await taken(wallet)).toMatchObject({ status: 409, body: { type: 'conflict' } })
    await loop.untilDone()
    expect((await call('GET', `/jobs/${change.id}`)).body.status).toBe('finalized')
    expect((await taken(wallet)).status).toBe(200)
    expect((await call('GET', `/dids/${did}`, undefined, other)).body.controller).toEqual([did, controller])
  })

  test('holds its resolution and every key, in one wallet or in one for each', async () => {
    const did = await finalDid({ keyType: 'secp256k1' })
    const answer = await call('POST', `/dids/${did}/export`, { password })
    expect(answer.headers['cache-control']).toBe('no-store')
    const [first, ...keys] = await opened(answer.body)
    expect(first).toMatchObject({ type: 'DIDResolutionResponse', didDocument: { id: did }, didResolutionMetadata: {} })
    expect(keys.map(({ id, type }) => [id, type])).toEqual([
      [`${did}#keys-1`, 'Ed25519VerificationKey2018'],
      [`${did}#keys-2`, 'Bls12381BBSVerificationKeyDock2023'],
      [`${did}#keys-3`, 'X25519KeyAgreementKey2019'],
      [`${did}#keys-4`, 'EcdsaSecp256k1VerificationKey2019'],
    ])
    for (const key of keys) {
      expect(key.publicKeyMultibase).toMatch(/^z/)
      // Base58 of 32 bytes or 64: fewer characters where the first bytes are small.
      expect(key.privateKeyBase58).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,}$/)
    }
    const list = await exported(did, '?array=true')
    expect(list).toHaveLength(5)
    for (const one of list) expect(one.type).toContain('EncryptedWallet')
    expect(await opened(list)).toEqual([first, ...keys])
  })

  test('comes back from every form in which others write it', async () => {
    const did = await finalDid()
    const wallet = await exported(did)
    const [resolution = {}, ...keys] = await opened(wallet)
    const renamed = keys.map((key, index) => ({ ...key, id: `${did}#key-${index + 1}`, controller: 'did:example:old' }))
    const [acting = {}] = keys
    const { publicKeyMultibase: _left, privateKeyMultibase: _out, ...short } = acting
    const all = [resolution, ...keys]
    const forms: [unknown, number][] = [
      [{ '@context': ['https://w3id.org/wallet/v1'], type: 'UniversalWallet2020', contents: all }, 3],
      [all, 3],
      [JSON.stringify(all), 3],
      [[resolution, ...renamed], 3],
      [[{ contents: [resolution] }, ...keys.map((key) => ({ contents: [key] }))], 3],
      [acting, 1],
      [{ contents: [resolution, short] }, 1],
      [await exported(did, '?array=true'), 3],
    ]
    for (const [form, count] of forms) {
      await forget(did)
      await forget(did, other)
      expect(await taken(form)).toMatchObject({ status: 200 })
      const { rows } = { rows: (await storedRows()).filter((row) => row.did === did) }
      expect(rows.map(({ key_id, state }) => [key_id, state])).toEqual(expect.arrayContaining([[1, 'active']]))
      expect(rows).toHaveLength(count)
    }
    // The document named in the path, sent as it is.
    await forget(did, other)
    const named = { contents: all }
    expect(await call('POST', '/dids/did:svc:11111111111111111111111111111111/import', named, other)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('another DID') },
    })
    expect(await call('POST', `/dids/${did}/import`, named, other)).toMatchObject({ status: 200 })
    await forget(did, other)
    const beside = { data: named, comment: 'mine' }
    const answer = await call('POST', `/dids/${did}/import`, beside, other)
    expect([answer.status, answer.headers['accredit-ignored']]).toEqual([200, '/comment'])
  })

  test('comes back by both paths from a body that is wrapped or bare, a list, or has its keys beside it', async () => {
    const did = await finalDid()
    const wallet = await exported(did)
    const [resolution = {}, ...keys] = await opened(wallet)
    const bodies: unknown[] = [
      { data: [resolution, ...keys] },
      [resolution, ...keys],
      { ...resolution, keys },
      { data: JSON.stringify(resolution), keys },
      { ...wallet, password },
    ]
    await forget(did)
    for (const body of bodies)
      for (const path of ['', `/${did}`]) {
        const answer = await requestAs(app, other, 'POST', `/dids${path}/import`, JSON.stringify(body))
        expect([answer.statusCode, answer.json()]).toEqual([200, { id: '0', data: { did } }])
        expect((await storedRows()).filter((row) => row.did === did)).toHaveLength(3)
        await forget(did, other)
      }
  })

  test('with one of its keys only changes as it will be on the ledger, which knows the others', async () => {
    const did = await finalDid()
    const [resolution, signing] = await opened(await exported(did))
    await forget(did)
    const names = oddNames().map((name) => ({ id: 'urn:x', type: 'Connection', name }))
    const wallet = encryptWallet([...names, resolution ?? {}, signing ?? {}], await passwordToKey(password), {
      now: new Date(),
      random: randomBytes,
    })
    expect((await taken(wallet)).status).toBe(200)
    await call('PATCH', `/dids/${did}`, { keyType: 'ed25519' }, other)
    const pending = (await call('GET', `/dids/${did}`, undefined, other)).body
    expect(pending.verificationMethod.map(({ id }: { id: string }) => id)).toEqual(
      [2, 3, 4].map((n) => `${did}#keys-${n}`),
    )
    await loop.untilDone()
    expect((await call('GET', `/dids/${did}`, undefined, other)).body).toEqual(pending)
  })

  test('can be a did:key', async () => {
    const { did } = (await call('POST', '/dids', { type: 'key' })).body
    const wallet = await exported(did)
    await forget(did)
    expect((await taken(wallet)).body).toEqual({ id: '0', data: { did } })
    await scratch.db.transaction('system', async (tx) => expect(await actingKey(tx, did)).toMatchObject({ keyId: 0 }))
  })

  test('is handed out to owners only, once for an Idempotency-Key', async () => {
    const did = await finalDid()
    expect((await call('POST', `/dids/${did}/export`, { password }, member)).body).toMatchObject({ type: 'forbidden' })
    expect((await call('POST', `/dids/${did}/export`, { password }, other)).body).toMatchObject({ status: 404 })
    const once = { 'idempotency-key': randomBytes(8).toString('hex') }
    expect((await call('POST', `/dids/${did}/export`, { password }, mine, once)).status).toBe(200)
    expect((await call('POST', `/dids/${did}/export`, { password }, mine, once)).status).toBe(409)
  })
})

describe('an import is refused, and leaves no key behind,', () => {
  async function refused(data: unknown, status: number, message: RegExp, given: string | null = null): Promise<void> {
    const [rows, before] = [await storedRows(), await livingKeys()]
    const answer = await taken(data, other, given)
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)])
    expect([await storedRows(), await livingKeys()]).toEqual([rows, before])
  }

  test('while a team holds the DID: told only to who has its keys', async () => {
    const did = await finalDid()
    const documents = await opened(await exported(did))
    await refused(documents, 409, /held here already/)
    const [resolution = {}, signing = {}] = documents
    const foreign = await opened(await exported(await finalDid()))
    await refused([resolution, ...foreign.slice(1)], 400, /capabilityInvocation/)
    const stranger = { ...signing, privateKeyBase58: foreign[1]?.privateKeyBase58 ?? '' }
    await refused([resolution, { ...stranger, privateKeyMultibase: '' }], 400, /capabilityInvocation/)
    await refused([resolution, ...documents.slice(2)], 400, /capabilityInvocation/)
    await refused([resolution], 400, /no private key/)
    await refused([...documents, ...foreign], 400, /several DIDs/)
    await forget(did)
    await call('DELETE', `/dids/${did}`)
    expect((await taken([...documents, ...foreign.slice(1)])).status).toBe(200)
    expect((await storedRows()).filter((row) => row.did === did)).toHaveLength(3)
  })

  test('while something accepted of a DID that was forgotten is not signed yet', async () => {
    const did = await finalDid()
    const documents = await opened(await exported(did))
    await call('PATCH', `/dids/${did}`, { didcommServiceUrl: 'https://example.org/inbox' })
    await forget(did)
    await refused(documents, 409, /held here already/)
    await loop.untilDone()
    expect((await taken(documents)).status).toBe(200)
    expect(JSON.stringify((await call('GET', `/dids/${did}`, undefined, other)).body.service)).toContain('example.org')
  })

  test('of a DID that is not on this ledger, or was deactivated', async () => {
    const did = await finalDid()
    const documents = await opened(await exported(did))
    const elsewhere = 'did:svc:11111111111111111111111111111112'
    await refused([{ didDocument: { id: elsewhere } }, ...documents.slice(1)], 400, /not on this ledger|well-formed/)
    await refused([{ didDocument: { id: 'did:cheqd:testnet:x' } }, ...documents.slice(1)], 400, /cannot act here/)
    const foreign = [{ didDocument: { id: 'did:web:university.example' } }, ...documents.slice(1)]
    for (const path of ['', '/did:web:university.example'])
      for (const body of [foreign, { data: foreign }, { ...foreign[0], keys: documents.slice(1) }])
        expect((await call('POST', `/dids${path}/import`, body, other)).body).toMatchObject({
          status: 400,
          type: 'did_method_not_supported',
        })
    await call('DELETE', `/dids/${did}`)
    await loop.untilDone()
    await refused(documents, 400, /deactivated/)
  })

  test('with a password that does not open it: five times, then the key must wait', async () => {
    const wallet = encryptWallet([{ id: 'x' }], await passwordToKey('another'), {
      now: new Date(),
      random: randomBytes,
    })
    await refused(wallet, 400, /give its password/)
    for (let i = 0; i < 5; i++) await refused(wallet, 400, /does not open/, 'wrong')
    const limited = await taken(wallet, other, 'another')
    expect([limited.status, limited.headers['retry-after']]).toEqual([
      429,
      expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
    ])
    expect((await taken(wallet, member, 'another')).body).toMatchObject({
      message: expect.stringMatching(/no private/),
    })
  })

  test('with wrong passwords, which opened wallets with a malformed key do not make up for', async () => {
    const [guesser, sources] = [await testTeam(scratch.db), { now: new Date(), random: randomBytes }]
    const closed = encryptWallet([{ id: 'x' }], await passwordToKey('another'), sources)
    const key = { type: 'Ed25519VerificationKey2018', privateKeyBase58: 'x' }
    const malformed = encryptWallet([key], await passwordToKey(password), sources)
    const answers: string[] = []
    for (let i = 0; i < 5; i++)
      for (const [wallet, given] of [
        [malformed, password],
        [closed, 'wrong'],
      ] as const)
        answers.push((await taken(wallet, guesser, given)).body.message)
    expect(answers).toEqual(
      Array(5)
        .fill([expect.stringMatching(/malformed/), expect.stringMatching(/does not open/)])
        .flat(),
    )
    expect((await taken(closed, guesser, 'another')).status).toBe(429)
  })

  test.each<[string, object]>([
    ['nothing', {}],
    ['null', { data: null }],
    ['a number', { data: 7 }],
    ['an empty text', { data: '' }],
    ['an empty list', { data: [] }],
    ['a text', { data: 'did:svc:x' }],
    ['a password that is a number', { data: [], password: 7 }],
    ['a long password', { data: [], password: 'x'.repeat(129) }],
    ['a NUL', { data: [{ id: '\u0000' }] }],
    [
      'deep nesting',
      {
        data: Array(90)
          .fill(0)
          .reduce((inner: unknown) => [inner], {}),
      },
    ],
    ['a DID that is an object', { data: [{ didDocument: { id: {} } }] }],
    ['keys of no DID', { data: [{ type: 'Ed25519VerificationKey2018', privateKeyBase58: '1'.repeat(32) }] }],
    [
      'a key that is none',
      { data: [{ type: 'Ed25519VerificationKey2018', privateKeyBase58: 'x', controller: 'did:key:z' }] },
    ],
    ['a misspelt password', { data: [], pasword: 'x' }],
    ['keys that are no list', { data: {}, keys: {} }],
    ['an envelope without a lid', { data: { credentialSubject: { encryptedWalletContents: {} } } }],
  ])('of %s', async (_what, body) => {
    expect((await call('POST', '/dids/import', body, member)).body).toMatchObject({
      status: 400,
      type: expect.any(String),
      message: expect.stringMatching(/.{5}/),
    })
  })
})

test.each([
  [403, 'capability_missing', 'forbidden'],
  [422, 'malformed_key', 'invalid_request'],
] as const)('a refusal of the signer with %d %s is answered as %s', async (status, type, told) => {
  await expect(fromSigner(Promise.reject(new SignerRefused(status, type, 'x')))).rejects.toMatchObject({ type: told })
})

test.each<[object, number]>([
  [{}, 400],
  [{ password: 'x' }, 400],
  [{ password: 'xy' }, 404],
  [{ password: 'x'.repeat(128) }, 404],
  [{ password: 'x'.repeat(129) }, 400],
  [{ password: 7 }, 400],
  [{ password: null }, 400],
  [{ password: 'a\u0000b' }, 400],
])('an export with %j of a DID that is not there is %d', async (body, status) => {
  for (const did of ['did:svc:11111111111111111111111111111111', 'nonsense'])
    expect((await call('POST', `/dids/${did}/export`, body)).status).toBe(status)
})

test('no password and no private key stands in the log', async () => {
  const did = await finalDid()
  const documents = await opened(await exported(did))
  await taken(`${JSON.stringify(documents)}]`)
  const [text, secrets] = [lines.join(''), documents.slice(1).map((key) => String(key.privateKeyBase58).slice(0, 12))]
  expect(secrets).toHaveLength(3)
  expect(['/dids/import', password, ...secrets].filter((secret) => text.includes(secret))).toEqual(['/dids/import'])
})
