import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { indexedDatabase, type TestIndex, testIndex } from '../ledger/testing/test-index.js'
import { requestAs } from '../platform/testing/request-as.js'
import { type ScratchDatabase, type TestTeam, testEnvironment, testTeam } from '../platform/testing/scratch-database.js'
import { signingKey } from './did.store.js'
import { dids } from './operations.js'
import { someDidKey, storedDid } from './testing.js'

// There is no signer: a refused request never needs a key.
let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance
let mine: TestTeam

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(3)
  app = await buildApp(testEnvironment(scratch, { index: ledger.index }), [dids])
  mine = await testTeam(scratch.db)
})
afterAll(async () => {
  await app.close()
  await ledger.close()
  await scratch.close()
})

const call = (method: string, url: string, payload?: object | string) => requestAs(app, mine, method, url, payload)
const storedCount = () =>
  scratch.db.read('system', (reader) =>
    reader
      .selectFrom('dids')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirst(),
  )

const bad: [string, object | string][] = [
  ['a list', []],
  ['a text', '"x"'],
  ['null', 'null'],
  ['broken JSON', '{"type":'],
  ['an unknown type', { type: 'polygonid' }],
  ['a type that is a number', { type: 7 }],
  ['the second ledger', { type: 'ledgerB' }],
  ['a key type that nobody has', { keyType: 'rsa' }],
  ['a key type for messages', { keyType: 'x25519' }],
  ['another key for a did:key', { type: 'key', keyType: 'secp256k1' }],
  ['a key type that is an object', { keyType: {} }],
  ['a DID that is none', { did: 'did:svc:0OIl' }],
  ['a DID of another method', { did: 'did:web:example.org' }],
  ['a controller that is none', { controller: 'x' }],
  ['a controller of another method', { controller: 'did:web:example.org' }],
  ['a controller that does not exist', { controller: 'did:svc:11111111111111111111111111111111' }],
  ['a controller for a did:key', { type: 'key', controller: someDidKey() }],
  ['a service that is no URL', { didcommServiceUrl: 'inbox' }],
  ['a service with what a URI has encoded only', { didcommServiceUrl: 'https://example.org/a|b' }],
  ['a service that is a script', { didcommServiceUrl: 'javascript:alert(1)' }],
  ['a long service', { didcommServiceUrl: `https://example.org/${'a'.repeat(300)}` }],
  ['a flag that is a text', { includeDidcommService: 'maybe' }],
  ['a NUL', { type: 'key\u0000' }],
  ['half a surrogate pair', '{"did":"\\ud800"}'],
  ['a poisoned prototype', '{"__proto__":{"type":"key"}}'],
  ['a deep nesting', `{"x":${'['.repeat(3000)}${']'.repeat(3000)}}`],
]
test.each(bad)('POST with %s is refused with a reason, and nothing is stored', async (_what, body) => {
  const before = await storedCount()
  const answer = (await call('POST', '/dids', body)).json()
  expect(answer).toMatchObject({ status: 400, type: expect.any(String), message: expect.stringMatching(/.{5}/) })
  expect(await storedCount()).toEqual(before)
})

test.each<[object | string]>([
  [''],
  [{}],
  [{ keyType: 'rsa' }],
  [{ keyType: 7 }],
  [{ controller: 'x' }],
  [{ controller: [] }],
  ['[1]'],
  [{ keyType: null, controller: '  ', includeDidcommService: null }],
  [{ keyType: 'ed25519', didcommServiceUrl: 7 }],
  [{ didcommServiceUrl: 'javascript:alert(1)' }],
  [{ didcommServiceUrl: `https://example.org/${'a'.repeat(237)}` }],
  [{ didcommServiceUrl: 'https://example.org', includeDidcommService: false }],
  [{ includeDidcommService: 'maybe' }],
  [{ includeDidcommService: true, controller: 'did:svc:11111111111111111111111111111111' }],
])('PATCH with %j is refused, and nothing changes', async (body) => {
  const did = await storedDid(scratch, mine)
  expect((await call('PATCH', `/dids/${did}`, body)).json()).toMatchObject({ status: 400 })
  expect(await scratch.db.read('system', (reader) => signingKey(reader, did))).toMatchObject({ keyId: 1 })
})

test.each([
  'x',
  'did:',
  'did:web:example.org',
  'did:svc:',
  'did:key:z6LSabc',
  '%00',
  '%FF',
  `did:svc:${'1'.repeat(1900)}`,
  "';drop table dids",
])('resolving %s is refused or finds nothing', async (text) => {
  for (const path of ['', '/metadata', '?at=1'])
    expect([400, 404]).toContain((await call('GET', `/dids/${text}${path}`)).statusCode)
})

test.each([
  'at=1&versionId=1',
  'versionId=1&versionTime=2026-01-01T00:00:01Z',
  'versionId=2026-01-01T00:00:01Z',
  'versionTime=1',
  'versionId=-1',
  'versionTime=yesterday',
])('a version as %s is refused', async (query) => {
  expect((await call('GET', `/dids/${someDidKey()}?${query}`)).json()).toMatchObject({ status: 400 })
})

test.each(['-1', 'yesterday', '2999-01-01T00:00:00Z', '99999999', '0x1', '1970-01-01T00:00:00Z'])(
  'at=%s is refused',
  async (at) => {
    expect((await call('GET', `/dids/${someDidKey()}?at=${encodeURIComponent(at)}`)).json()).toMatchObject({
      status: 400,
    })
  },
)
