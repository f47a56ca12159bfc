import { describe, expect, test } from 'vitest'
import { decodeBase58 } from './base58.js'
import { type Hex, hexOf, parseHex32 } from './bytes.js'
import { didKey, didSvc, parseDid } from './did.js'
import { type DidState, didDocument, didDocumentMetadata, didKeyState } from './did-document.js'
import { KEY_LENGTHS, resolveRelationships } from './key.js'

const did = didSvc(parseHex32('11'.repeat(32)) ?? never())
const controller = didSvc(parseHex32('22'.repeat(32)) ?? never())
const publicKey = (byte: string, length: number): Hex => `0x${byte.repeat(length)}`

const state: DidState = {
  did,
  keys: [
    { id: 1, key: { kind: 'Ed25519', publicKey: publicKey('aa', 32) }, relationships: 7 },
    { id: 2, key: { kind: 'Bls12381G2', publicKey: publicKey('bb', 96) }, relationships: 2 },
    { id: 4, key: { kind: 'X25519', publicKey: publicKey('cc', 32) }, relationships: 8 },
  ],
  controllers: [controller],
  services: [{ id: 'didcomm', type: 'DIDCommMessaging', endpoints: ['https://example.org/m'] }],
  created: '2026-01-01T00:00:00.000Z',
  versionId: '7',
}

describe('a DID document', () => {
  const document = didDocument(state)

  test('publishes every key in both forms, with the same bytes under the same id', () => {
    const { verificationMethod = [], publicKey: older = [] } = document
    expect(verificationMethod.map(({ id, type }) => [id, type])).toEqual([
      [`${did}#keys-1`, 'Ed25519VerificationKey2020'],
      [`${did}#keys-2`, 'Bls12381BBSVerificationKeyDock2023'],
      [`${did}#keys-4`, 'X25519KeyAgreementKey2020'],
    ])
    expect(older.map(({ id, type }) => [id, type])).toEqual([
      [`${did}#keys-1`, 'Ed25519VerificationKey2018'],
      [`${did}#keys-2`, 'Bls12381BBSVerificationKeyDock2023'],
      [`${did}#keys-4`, 'X25519KeyAgreementKey2019'],
    ])
    for (const [position, { key }] of state.keys.entries()) {
      const multibase = verificationMethod[position]?.publicKeyMultibase ?? ''
      expect(hexOf((decodeBase58(multibase.slice(1)) ?? new Uint8Array()).subarray(2))).toBe(key.publicKey)
      for (const { publicKeyBase58 } of [older[position] ?? never(), verificationMethod[position] ?? never()])
        expect(hexOf(decodeBase58(publicKeyBase58 ?? '') ?? new Uint8Array())).toBe(key.publicKey)
    }
    expect(verificationMethod[0]?.publicKeyMultibase).toMatch(/^z6Mk/)
  })

  test('has every kind of key by the name that its verifiers look for, defined in its context', () => {
    const kinds = [
      'Ed25519',
      'X25519',
      'BabyJubJub',
      'Bls12381G2',
      'Secp256k1',
      'Sr25519',
      'Bls12381G2Plus2022',
    ] as const
    const keys = kinds.map((kind, index) => ({
      id: index + 1,
      key: { kind, publicKey: publicKey('02', KEY_LENGTHS[kind]) },
      relationships: resolveRelationships(kind, 0),
    }))
    const all = didDocument({ ...state, keys })
    expect(
      all.verificationMethod?.map(({ type, publicKeyMultibase }) => [type, publicKeyMultibase?.slice(0, 3)]),
    ).toEqual([
      ['Ed25519VerificationKey2020', 'z6M'],
      ['X25519KeyAgreementKey2020', 'z6L'],
      ['BJJVerificationKey2021', undefined],
      ['Bls12381BBSVerificationKeyDock2023', 'zUC'],
      ['EcdsaSecp256k1VerificationKey2019', 'zQ3'],
      ['Sr25519VerificationKey2020', 'z6Q'],
      ['Bls12381G2VerificationKeyDock2022', undefined],
    ])
    for (const { publicKeyBase58 } of all.publicKey ?? [])
      expect(publicKeyBase58).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,}$/)
    expect(all.verificationMethod?.[2]?.publicKeyBase58).toBe(all.publicKey?.[2]?.publicKeyBase58)
    const named = [...(all.verificationMethod ?? []), ...(all.publicKey ?? [])].map(({ type }) => type)
    const [, , terms] = all['@context']
    for (const type of new Set(named))
      if (type !== 'Ed25519VerificationKey2020') expect(terms).toHaveProperty(type, `https://w3id.org/security#${type}`)
  })

  test('lists no context but the two that verifying software has built in, and defines its other terms itself', () => {
    expect(document['@context']).toEqual([
      'https://www.w3.org/ns/did/v1',
      'https://w3id.org/security/suites/ed25519-2020/v1',
      expect.objectContaining({
        publicKey: expect.anything(),
        publicKeyBase58: 'https://w3id.org/security#publicKeyBase58',
        Ed25519VerificationKey2018: 'https://w3id.org/security#Ed25519VerificationKey2018',
        DIDCommMessaging: 'https://didcomm.org/messaging#DIDCommMessaging',
      }),
    ])
  })

  test('names keys under what they may be used for', () => {
    const [signing, bbs, agreement] = [1, 2, 4].map((id) => `${did}#keys-${id}`)
    expect(document).toMatchObject({
      authentication: [signing],
      assertionMethod: [signing, bbs],
      capabilityInvocation: [signing],
      keyAgreement: [agreement],
    })
  })

  test('names itself as a controller only while one of its keys controls it', () => {
    expect(document.controller).toEqual([did, controller])
    expect(didDocument({ ...state, keys: state.keys.slice(1) }).controller).toEqual([controller])
  })

  test('names services inside itself, and leaves the member out where there are none', () => {
    expect(document.service).toEqual([
      {
        id: `${did}#didcomm`,
        type: 'DIDCommMessaging',
        serviceEndpoint: [{ uri: 'https://example.org/m', accept: ['didcomm/v2'] }],
      },
    ])
    expect(didDocument({ ...state, services: [] })).not.toHaveProperty('service')
  })

  test('names a service once that an older ledger holds under several spellings of its id', () => {
    const service = (id: string) => ({ id, type: 'LinkedDomains', endpoints: [`https://example.org/${id.length}`] })
    const spelled = didDocument({ ...state, services: ['linked', '#linked', `${did}#linked`, 'other'].map(service) })
    expect(spelled.service).toEqual([
      { id: `${did}#linked`, type: 'LinkedDomains', serviceEndpoint: 'https://example.org/6' },
      { id: `${did}#other`, type: 'LinkedDomains', serviceEndpoint: 'https://example.org/5' },
    ])
  })

  test('leaves out a service of an older ledger that no document can hold', () => {
    const service = { id: 'a', type: 'LinkedDomains', endpoints: ['https://example.org'] }
    const unsound = [
      { ...service, id: 'hub with space' },
      { ...service, id: `${controller}#a` },
      { ...service, id: 'keys-1' },
      { ...service, id: `${did}#key-1` },
      { ...service, id: '%64idcomm' },
      { ...service, type: 'Linked Domains' },
      { ...service, endpoints: ['https://example.org', 'not a uri at all'] },
    ]
    expect(didDocument({ ...state, services: unsound })).not.toHaveProperty('service')
    expect(didDocument({ ...state, services: [...unsound, service] }).service).toHaveLength(1)
  })

  const withType = (type: string) =>
    didDocument({ ...state, services: [{ id: 'a', type, endpoints: ['https://example.org'] }] })

  test('defines the type of a service unless it is a URI', () => {
    const [hub, uri] = [withType('HubService'), withType('https://example.org/Hub')]
    expect(hub['@context'][2]).toHaveProperty('HubService', 'https://www.w3.org/ns/did#HubService')
    expect(uri['@context'][2]).not.toHaveProperty(['https://example.org/Hub'])
    expect(uri.service?.[0]?.type).toBe('https://example.org/Hub')
  })

  test.each(['service', 'id', 'publicKeyBase58', 'uri', 'Ed25519VerificationKey2018', 'constructor', '__proto__'])(
    'defines nothing for a service of type %s, which is taken, and has the URI that it would mean',
    (type) => {
      const document = withType(type)
      expect(document['@context']).toEqual(withType('https://example.org/Hub')['@context'])
      expect(document.service?.[0]?.type).toBe(`https://www.w3.org/ns/did#${type}`)
    },
  )

  test('of a deactivated DID has nothing left, and its metadata says why', () => {
    const gone = { ...state, deactivated: true }
    expect(Object.keys(didDocument(gone))).toEqual(['@context', 'id'])
    expect(didDocumentMetadata(gone)).toEqual({ created: '2026-01-01T00:00:00Z', versionId: '7', deactivated: true })
  })

  test('has metadata in whole seconds, and tells an update only where there was one', () => {
    const once = { ...state, created: '2026-01-01T00:00:00.999Z', updated: '2026-01-01T00:00:00.999Z' }
    expect(didDocumentMetadata(once)).toEqual({ created: '2026-01-01T00:00:00Z', versionId: '7' })
    const later = { ...once, updated: '2026-01-02T03:04:05.678Z', nextUpdate: '2026-02-01T00:00:00Z' }
    expect(didDocumentMetadata({ ...later, nextVersionId: '9' })).toEqual({
      created: '2026-01-01T00:00:00Z',
      updated: '2026-01-02T03:04:05Z',
      versionId: '7',
      nextUpdate: '2026-02-01T00:00:00Z',
      nextVersionId: '9',
    })
  })

  test('of a did:key follows from it alone, with the derived key for messages', () => {
    // Test vector of the did:key method specification, section "Ed25519 with X25519".
    const key = parseDid('did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp') ?? never()
    const ofKey = didDocument(didKeyState(key) ?? never())
    expect(ofKey.authentication).toEqual([`${key}#z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp`])
    expect(ofKey.keyAgreement).toEqual([`${key}#z6LShs9GGnqk85isEBzzshkuVWrVKsRp24GnDuHk8QWkARMW`])
    expect(didKeyState(did)).toBeUndefined()
  })

  test('of a did:key whose bytes are no point of the curve has no derived key, and is given all the same', () => {
    const none = didKey({ kind: 'Ed25519', publicKey: publicKey('02', 32) }) ?? never()
    expect(didDocument(didKeyState(none) ?? never()).keyAgreement).toEqual([])
  })
})

function never(): never {
  throw new Error('a fixture is wrong')
}
