import { didKey, didSvc, encodeBase58, hex32Of } from '@accredit/chain'
import type { FastifyInstance } from 'fastify'
import { Check } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { indexedDatabase, type TestIndex, testIndex } from '../../ledger/testing/test-index.js'
import { type ScratchDatabase, testEnvironment } from '../../platform/testing/scratch-database.js'
import { dids } from '../operations.js'
import { representationFor } from './did-resolution.js'
import { expanded } from './linked-data.testing.js'

// Statements of W3C DID Resolution 1.0 (sections 4 and 12.1) and DID Core 1.0 (section 7.1), over an index with a known
// past.
const START = new Date('2026-01-01T00:00:00.250Z')
const bytes = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const [did, gone, quiet] = [didSvc(bytes(1)), didSvc(bytes(2)), didSvc(bytes(3))]
const keyDid = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'
const CORE = 'application/ld+json;profile="https://w3id.org/did-resolution"'
const NEWER = 'application/did-resolution'
const CORE_URL = 'application/ld+json;profile="https://w3id.org/did-url-dereferencing"'
const NEWER_URL = 'application/did-url-dereferencing'

let scratch: ScratchDatabase
let ledger: TestIndex
let app: FastifyInstance

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(9, { start: START })
  const key = { kind: 'Ed25519' as const, relationships: 7, end_reason: null }
  for (const [one, to_block] of [
    [did, null],
    [gone, 5],
    [quiet, null],
  ] as const) {
    const life = { from_block: 2, to_block }
    await ledger.row('did', { ...life, did: one, submitter: 'payer' })
    await ledger.row('did_key', { ...life, ...key, did: one, key_id: 1, public_key: bytes(7) })
  }
  for (const [service_id, type, endpoint] of [
    ['linked', 'LinkedDomains', 'https://example.org'],
    ['didcomm', 'DIDCommMessaging', 'https://example.org/inbox'],
    ['hub', 'Hub.v2', 'did:web:example.org?service=hub'],
  ] as const)
    await ledger.row('did_service', { from_block: 2, to_block: null, did, service_id, type, endpoints: [endpoint] })
  await ledger.row('did_key', { from_block: 6, to_block: null, ...key, did, key_id: 2, public_key: bytes(8) })
  app = await buildApp(testEnvironment(scratch, { index: ledger.index }), [dids])
})
afterAll(async () => {
  await app?.close()
  await ledger?.close()
  await scratch?.close()
})

async function resolve(id: string, query = '', accept?: string) {
  const headers = accept === undefined ? {} : { accept }
  const answer = await app.inject({ method: 'GET', url: `/1.0/identifiers/${id}${query}`, headers })
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    body: answer.json(),
    headers: answer.headers,
  }
}
const idsOf = (body: { didDocument: { verificationMethod: { id: string }[] } }) =>
  body.didDocument.verificationMethod.map(({ id }) => id.split('#')[1])

describe('a resolution', () => {
  test('without a key answers the whole result, in the form of the field', async () => {
    const { status, type, body, headers } = await resolve(did)
    expect([status, type, headers['accredit-block']]).toEqual([200, CORE, '9'])
    expect(Object.keys(body)).toEqual(['@context', 'didDocument', 'didResolutionMetadata', 'didDocumentMetadata'])
    expect(body.didDocument.id).toBe(did)
    expect(body.didResolutionMetadata).toEqual({ contentType: 'application/did+ld+json' })
    expect(body.didDocumentMetadata).toEqual({
      created: '2026-01-01T00:00:02Z',
      updated: '2026-01-01T00:00:06Z',
      versionId: '6',
    })
    expect((await resolve(encodeURIComponent(did))).body).toEqual(body)
  })

  test('in the newer form has no context, and names the newer media type', async () => {
    const { type, body } = await resolve(did, '', NEWER)
    expect(type).toBe(NEWER)
    expect(Object.keys(body)).toEqual(['didDocument', 'didResolutionMetadata', 'didDocumentMetadata'])
    expect(body.didResolutionMetadata).toEqual({ contentType: 'application/did' })
  })

  test.each(['application/did+ld+json', 'application/did+json', 'application/did'])(
    'to %s is the document alone',
    async (accept) => {
      const { status, type, body } = await resolve(did, '', accept)
      expect([status, type, body.id]).toEqual([200, accept, did])
      expect(body).toEqual((await resolve(did)).body.didDocument)
    },
  )

  test('tells no update of what was never updated', async () => {
    expect((await resolve(quiet)).body.didDocumentMetadata).toEqual({ created: '2026-01-01T00:00:02Z', versionId: '2' })
  })

  test('of a did:key needs no ledger and has no versions', async () => {
    for (const query of ['', '?versionTime=2020-01-01T00:00:00Z', '?versionTime=1999-01-01T00:00:00Z']) {
      const { status, body } = await resolve(keyDid, query)
      expect([status, body.didDocument.id, body.didDocumentMetadata]).toEqual([200, keyDid, {}])
    }
    expect((await resolve(keyDid, '?versionId=1')).status).toBe(404)
  })

  test('ignores what stands in the way of no answer', async () => {
    for (const query of ['?', '?=&=', '?noCache=true', '?expandRelativeUrls=true', '?limit=0&did=%00'])
      expect((await resolve(did, query)).status).toBe(200)
  })
})

test.each(['versionId', 'versionTime', 'at', 'noCache', 'expandRelativeUrls'])(
  'an empty %s is refused: it would be taken for a question about now',
  async (name) => {
    const { status, body } = await resolve(did, `?${name}=`)
    expect([status, body.didResolutionMetadata.error]).toEqual([400, expect.stringContaining('invalid')])
  },
)

describe('a version', () => {
  test('is found by its id, and knows the next', async () => {
    const { body } = await resolve(did, '?versionId=2')
    expect(idsOf(body)).toEqual(['keys-1'])
    expect(body.didDocumentMetadata).toEqual({
      created: '2026-01-01T00:00:02Z',
      versionId: '2',
      nextUpdate: '2026-01-01T00:00:06Z',
      nextVersionId: '6',
    })
    expect(idsOf((await resolve(did, '?versionId=6')).body)).toEqual(['keys-1', 'keys-2'])
  })

  test.each(['0', '1', '3', '5', '7', '9', '10', '4294967296', 'c0ffee', 'latest'])(
    'called %s does not exist',
    async (id) => {
      const { status, body } = await resolve(did, `?versionId=${id}`)
      expect([status, body.didResolutionMetadata.error, body.didDocument]).toEqual([404, 'notFound', null])
    },
  )

  test.each([
    ['2026-01-01T00:00:02Z', ['keys-1']],
    ['2026-01-01T00:00:02.250Z', ['keys-1']],
    ['2026-01-01T00:00:06.249Z', ['keys-1']],
    ['2026-01-01T00:00:06.250Z', ['keys-1', 'keys-2']],
    ['2026-01-01T00:00:06Z', ['keys-1', 'keys-2']],
    ['2026-01-01T01:00:05%2B01:00', ['keys-1']],
  ])('of %s is the one that was current then', async (time, keys) => {
    expect(idsOf((await resolve(did, `?versionTime=${time}`)).body)).toEqual(keys)
  })

  test.each(['2026-01-01T00:00:02.249Z', '2026-01-01T00:00:01Z', '1970-01-01T00:00:00Z'])(
    'of %s does not exist',
    async (time) => expect((await resolve(did, `?versionTime=${time}`)).status).toBe(404),
  )

  test('can be asked for as everywhere else too', async () => {
    expect(idsOf((await resolve(did, '?at=5')).body)).toEqual(['keys-1'])
    expect(idsOf((await resolve(did, '?at=2026-01-01T00:00:06.250Z')).body)).toEqual(['keys-1', 'keys-2'])
    expect((await resolve(did, '?at=yesterday')).body.didResolutionMetadata.error).toBe('invalidOptions')
  })
})

test.each([CORE, NEWER, 'application/did+ld+json', 'application/did'])(
  'a deactivated DID is 410 without a document for %s, and its past is still there',
  async (accept) => {
    const { status, type, body } = await resolve(gone, '', accept)
    expect([status, body.didDocument]).toEqual([410, null])
    expect(type).toBe(accept === NEWER || accept === 'application/did' ? NEWER : CORE)
    expect(body.didDocumentMetadata).toMatchObject({ deactivated: true, versionId: '5' })
    const past = await resolve(gone, '?versionId=2', accept)
    expect(past.status).toBe(200)
    expect(past.body.didDocument?.id ?? past.body.id).toBe(gone)
  },
)

const multibase = (codec: number[], length: number) =>
  `z${encodeBase58(new Uint8Array([...codec, ...new Uint8Array(length).fill(2)]))}`
const noPoint = didKey({ kind: 'Ed25519', publicKey: `0x${'02'.repeat(32)}` }) ?? ''

test.each<[string, string, number, string]>([
  ['nonsense', '', 400, 'invalidDid'],
  ['DID:svc:abc', '', 400, 'invalidDid'],
  ['did:svc:', '', 400, 'invalidDid'],
  ['did:svc:0OIl', '', 400, 'invalidDid'],
  ['did:key:zabc', '', 400, 'invalidDid'],
  ['%00', '', 400, 'invalidDid'],
  ['..%2F..%2Fetc', '', 400, 'invalidDid'],
  [`did:svc:${'1'.repeat(2500)}`, '', 400, 'invalidDid'],
  ['did:web:example.org', '', 501, 'methodNotSupported'],
  ['did:example:a:b:c%2Dd', '', 501, 'methodNotSupported'],
  ['did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc', '', 501, 'unsupportedPublicKeyType'],
  ['did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169', '', 501, 'unsupportedPublicKeyType'],
  [`did:key:${multibase([0x85, 0x24], 270)}`, '', 501, 'unsupportedPublicKeyType'],
  [`did:key:${multibase([0xd1, 0xd6, 0x03], 90)}`, '', 501, 'unsupportedPublicKeyType'],
  [`did:key:${multibase([0x80, 0x24], 32)}`, '', 400, 'invalidDid'],
  [`did:key:${multibase([0x80, 0x24], 34)}`, '', 400, 'invalidDid'],
  [`did:key:${multibase([0x85, 0x24], 0)}`, '', 400, 'invalidDid'],
  [`did:key:${multibase([0xed, 0x01], 31)}`, '', 400, 'invalidDid'],
  [`did:key:${multibase([0x12, 0x20], 32)}`, '', 400, 'invalidDid'],
  [didSvc(bytes(99)), '', 404, 'notFound'],
  [did, '?versionTime=yesterday', 400, 'invalidOptions'],
  [did, '?versionTime=2026-02-30T00:00:00Z', 400, 'invalidOptions'],
  [did, '?versionTime=2999-01-01T00:00:00Z', 400, 'invalidOptions'],
  [did, '?versionId=2&versionTime=2026-01-01T00:00:02Z', 400, 'invalidOptions'],
  [did, '?versionId=2&versionId=6', 400, 'invalidOptions'],
  [did, '?noCache=maybe', 400, 'invalidOptions'],
  [did, '?service=didcomm', 501, 'featureNotSupported'],
])('%s%s is %d %s, in both forms', async (id, query, status, error) => {
  const core = await resolve(id, query)
  expect([core.status, core.type, core.body.didDocument]).toEqual([status, CORE, null])
  expect(core.body).toMatchObject({ didResolutionMetadata: { error }, didDocumentMetadata: {} })
  const newer = await resolve(id, query, NEWER)
  expect([newer.status, newer.type]).toEqual([status, NEWER])
  const name = error.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  expect(newer.body.didResolutionMetadata.error).toEqual({
    type: `https://www.w3.org/ns/did#${name}`,
    title: expect.any(String),
    detail: expect.any(String),
  })
})

describe('a DID URL', () => {
  test("with the fragment of a key is the key, with its document's contexts", async () => {
    const document = (await resolve(did)).body.didDocument
    const { status, type, body } = await resolve(`${did}%23keys-2`)
    expect([status, type]).toEqual([200, CORE_URL])
    expect(body).toEqual({
      '@context': 'https://w3id.org/did-url-dereferencing/v1',
      dereferencingMetadata: { contentType: 'application/did+ld+json' },
      contentStream: { '@context': document['@context'], ...document.verificationMethod[1] },
      contentMetadata: { created: '2026-01-01T00:00:02Z', updated: '2026-01-01T00:00:06Z', versionId: '6' },
    })
    const newer = await resolve(`${did}%23keys-2`, '', NEWER)
    expect(newer.type).toBe(NEWER_URL)
    expect(newer.body).toEqual({
      dereferencingMetadata: { contentType: 'application/did' },
      contentStream: body.contentStream,
      contentMetadata: body.contentMetadata,
    })
    for (const accept of ['application/did+ld+json', 'application/did+json', 'application/did']) {
      const alone = await resolve(`${did}%23keys-2`, '', accept)
      expect([alone.status, alone.type, alone.body]).toEqual([200, accept, body.contentStream])
    }
    const [id] = document.verificationMethod.map((method: { id: string }) => method.id)
    expect((await resolve(`${keyDid}%23${keyDid.slice(8)}`)).body.contentStream.id).toContain(keyDid)
    expect((await resolve(encodeURIComponent(id))).body.contentStream.id).toBe(id)
  })

  test('with the fragment of a service is the service', async () => {
    const { body } = await resolve(`${did}%23linked`, '', 'application/did+ld+json')
    expect(body).toMatchObject({ id: `${did}#linked`, type: 'LinkedDomains', serviceEndpoint: 'https://example.org' })
  })

  test('can name a version, in itself or as a parameter', async () => {
    expect((await resolve(`${did}%23keys-2`, '?versionId=2')).body.dereferencingMetadata.error).toBe('notFound')
    expect((await resolve(`${did}%3FversionId=2%23keys-2`)).body.dereferencingMetadata.error).toBe('notFound')
    expect((await resolve(`${did}%3FversionId=2%23keys-1`)).status).toBe(200)
    expect(idsOf((await resolve(`${did}%3FversionId=2`)).body)).toEqual(['keys-1'])
    expect((await resolve(`${did}%3FversionId=2`, '?versionId=2')).status).toBe(400)
  })

  test('without a fragment is dereferenced to its document where the caller asks for that', async () => {
    const document = (await resolve(did)).body.didDocument
    for (const accept of [CORE_URL, NEWER_URL]) {
      const { type, body } = await resolve(did, '', accept)
      expect([type, body.contentStream]).toEqual([accept, document])
    }
  })

  test('of a deactivated DID is 410', async () => {
    const { status, body } = await resolve(`${gone}%23keys-1`)
    expect([status, body.contentStream, body.contentMetadata.deactivated]).toEqual([410, null, true])
  })

  test.each<[string, string, number, string]>([
    [`${did}%23keys-3`, '', 404, 'notFound'],
    [`${did}%23`, '', 400, 'invalidDidUrl'],
    [`${did}%23a%20b`, '', 400, 'invalidDidUrl'],
    [`${did}%23a%23b`, '', 400, 'invalidDidUrl'],
    [`${did}/path`, '', 501, 'featureNotSupported'],
    [`${did}%2F`, '', 501, 'featureNotSupported'],
    [`${did}%23keys-1`, '?service=didcomm', 501, 'featureNotSupported'],
    ['did:svc:11111111111111111111111111111111%23keys-1', '', 404, 'notFound'],
    ['did:web:example.org%23key', '', 501, 'methodNotSupported'],
    ['did:web:example.org/path', '', 501, 'methodNotSupported'],
    ['did:svc:%23keys-1', '', 400, 'invalidDid'],
  ])('%s%s is %d %s, in both forms', async (id, query, status, error) => {
    const core = await resolve(id, query)
    expect([core.status, core.type, core.body.contentStream]).toEqual([status, CORE_URL, null])
    expect(core.body.dereferencingMetadata).toEqual({ error, errorMessage: expect.any(String) })
    const newer = await resolve(id, query, 'application/did')
    const name = error.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
    expect([newer.status, newer.type]).toEqual([status, NEWER_URL])
    expect(newer.body.dereferencingMetadata.error.type).toBe(`https://www.w3.org/ns/did#${name}`)
  })
})

describe('a resolution as linked data', () => {
  test.each([did, keyDid, quiet])('each member of the document of %s is defined by a context it lists', async (id) => {
    const { body } = await resolve(id, '', 'application/did+ld+json')
    expect(JSON.stringify(await expanded(body))).toContain(`${id}#`)
    const withoutTerms = { ...body, '@context': body['@context'].slice(0, 2) }
    await expect(expanded(withoutTerms)).rejects.toThrow()
  })

  test('it tells the public key and where messages go, as the contexts define them', async () => {
    const { body } = await resolve(did, '', 'application/did+ld+json')
    const [subject] = JSON.parse(JSON.stringify(await expanded(body)))
    const [security, messaging] = ['https://w3id.org/security', 'https://didcomm.org/messaging']
    expect(subject[`${security}#publicKey`].map((key: Record<string, unknown>) => key['@id'])).toEqual([
      `${did}#keys-1`,
      `${did}#keys-2`,
    ])
    expect(subject['https://www.w3.org/ns/did#service']).toContainEqual({
      '@id': `${did}#didcomm`,
      '@type': [`${messaging}#DIDCommMessaging`],
      'https://www.w3.org/ns/did#serviceEndpoint': [
        {
          [`${messaging}#uri`]: [{ '@id': 'https://example.org/inbox' }],
          [`${messaging}#accept`]: [{ '@value': 'didcomm/v2' }],
        },
      ],
    })
  })

  test('so is each of a key and of a service by itself', async () => {
    for (const fragment of ['keys-1', 'linked', 'didcomm', 'hub']) {
      const { body } = await resolve(`${did}%23${fragment}`, '', 'application/did+ld+json')
      expect(JSON.stringify(await expanded(body))).toContain(`${did}#${fragment}`)
    }
  })
})

test('the reference declares each media type with the form of what is answered', async () => {
  const { responses } = (await app.inject('/openapi.json')).json().paths['/1.0/identifiers/{did}'].get
  const cases = [did, gone, `${did}%23keys-1`, 'nonsense', didSvc(bytes(99)), 'did:web:example.org', keyDid]
  for (const accept of [CORE, NEWER, CORE_URL, NEWER_URL, 'application/did+ld+json', 'application/did', 'text/turtle'])
    for (const id of cases) {
      const { status, type, body } = await resolve(id, '', accept)
      const schema = responses[status].content[String(type)]?.schema
      expect(schema, `${status} ${type}`).toBeDefined()
      expect(Check(closed(schema), body), `${status} ${type}`).toBe(true)
    }
})

/** The schema without room for members that it does not describe. */
const closed = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_, part) =>
    part?.properties && part.additionalProperties === undefined ? { ...part, additionalProperties: false } : part,
  )

test('a did:key of bytes that are no key is no server error', async () => {
  expect((await resolve(noPoint)).status).toBeLessThan(500)
})

test.each<[string | undefined, string | undefined]>([
  [undefined, CORE],
  ['', CORE],
  ['*/*', CORE],
  ['text/html,application/xhtml+xml,*/*;q=0.8', CORE],
  ['application/*;q=0.1', CORE],
  ['application/ld+json', CORE],
  [CORE, CORE],
  [CORE.toUpperCase(), CORE],
  ['application/ld+json; profile="https://example.org"', undefined],
  ['application/ld+json; profile="https://example.org", application/did', 'application/did'],
  ['application/json', 'application/json; charset=utf-8'],
  ['application/did+json;q=0.2, application/did;q=0.9', 'application/did'],
  ['application/did;q=0, */*', CORE],
  ['application/did+ld+json, application/did+json', 'application/did+ld+json'],
  ['application/did;q=2', undefined],
  ['application/did-url-dereferencing', NEWER_URL],
  [CORE_URL, CORE_URL],
  ['text/turtle', undefined],
])('Accept: %s is answered as %s', async (accept, mediaType) => {
  expect(representationFor(accept)?.mediaType).toBe(mediaType)
  const { status, body } = await resolve(did, '', accept)
  expect(status).toBe(mediaType === undefined ? 406 : 200)
  if (mediaType === undefined) expect(body.didResolutionMetadata.error).toBe('representationNotSupported')
})
