import { encodeBase58 } from '@accredit/chain'
import { describe, expect, it } from 'vitest'
import { asArray, isObject, type JsonObject } from '../../json.js'
import { babyJubJubKey, littleEndian, numberOf } from '../../keys/baby-jubjub/testing.js'
import { hashHere, sha256 } from '../canonical/canonize.js'
import { NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { BJJ_2021, CREDENTIALS_V1 } from '../contexts/known-contexts.js'
import type { DataModel } from '../data-model.js'
import { prepareProof, proofsOf } from '../linked-data-proof.js'
import { placesOf, withValue } from '../mutants.testing.js'
import { findingsOf, signedOf, type TestKey, testKey } from '../testing.js'
import { bjjOf2021 } from './bjj-2021.js'
import { VECTOR_KEY, VECTORS } from './bjj-2021-vectors.testing.js'

const { did, keyId, secret } = VECTOR_KEY
const key: TestKey = { ...testKey(), ...babyJubJubKey(Buffer.from(secret, 'hex')), did, keyId }
const other: TestKey = { ...key, ...babyJubJubKey(new Uint8Array(32).fill(7)) }

const signed = (model: DataModel, options: JsonObject = {}): Promise<JsonObject> =>
  signedOf(key, bjjOf2021, { model, options })
const hashOf = hashHere(NO_EXTRA_CONTEXTS)
const optionsOf = ({ type: _, ...options }: (typeof VECTORS)[DataModel]['proof']) => options
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe.each(['1.1', '2.0'] as const)('a BJJSignature2021 of data model %s', (model) => {
  const { document, proof, element, proofValue } = VECTORS[model]
  const whole: JsonObject = { ...document, proof: { ...proof, proofValue } }

  it('is what it always was, for this key and document', async () => {
    const { toSign, finish } = prepareProof({ document, suite: bjjOf2021, options: optionsOf(proof) })
    const toBeSigned = await toSign(hashOf)
    expect(hex(toBeSigned)).toBe(element)
    expect(finish(await key.sign(toBeSigned))).toEqual(whole)
    expect(await findingsOf(whole, key)).toEqual({ proof: { passed: true } })
  })

  it('stands over the hash that README.md says', async () => {
    const hashes = [await hashOf({ ...proof, '@context': document['@context'] }), await hashOf(document)]
    const number = numberOf(sha256(Buffer.concat(hashes))) % 2n ** 253n
    expect(hex(littleEndian(number))).toBe(element)
  })

  it('is verified, and by no other key', async () => {
    const document = await signed(model)
    expect(await findingsOf(document, key)).toEqual({ proof: { passed: true } })
    expect((await findingsOf(document, other)).proof).toMatchObject({ reason: 'invalid_signature' })
  })

  it('is not verified with any leaf changed', async () => {
    const document = await signed(model, { challenge: 'c', domain: 'd' })
    expect(await findingsOf(document, key)).toEqual({ proof: { passed: true } })
    const leaves = [...placesOf(document)].filter(({ value }) => typeof value === 'string' || typeof value === 'number')
    expect(leaves.length).toBeGreaterThan(12)
    for (const { path, value } of leaves) {
      const changed = withValue(document, path, typeof value === 'number' ? value + 1 : `${value}x`)
      if (!isObject(changed)) throw new Error('no document')
      expect([path, (await findingsOf(changed, key)).proof?.passed ?? false]).toEqual([path, false])
    }
  })
})

it('the key of the vectors is the one that they name', () => {
  expect(hex(key.publicKey)).toBe(VECTOR_KEY.publicKey)
  expect(encodeBase58(key.publicKey)).toBe(VECTOR_KEY.publicKeyBase58)
})

it('a proofValue that is no signature of 64 bytes is none', async () => {
  const document = await signed('1.1')
  const [proof = {}] = proofsOf(document)
  for (const proofValue of ['z', 'z1', `${proof.proofValue}1`, String(proof.proofValue).slice(1), 7])
    expect((await findingsOf({ ...document, proof: { ...proof, proofValue } }, key)).proof?.passed).toBe(false)
})

describe('a BJJSignature2021 of another form is unavailable, with the reason', () => {
  const UNAVAILABLE = { passed: false, reason: 'unavailable', detail: expect.stringContaining('of another form') }

  it('that of iden3, over a claim of an identity', async () => {
    const proof = {
      type: 'BJJSignature2021',
      issuerData: {
        id: 'did:polygonid:polygon:amoy:2qQ68JkRcf3xrHPQPWZei3YeVzHPP58wYNxx2mEouR',
        state: { value: 'fa29d8dcf5d8d3b2dc4a9f3f5ae3d1f0b0e7b8d3c0fbb8fe0e7cc1fbd1a1c41b' },
        mtp: { existence: true, siblings: [] },
      },
      coreClaim: 'c9b2370371b7fa8b3dab2a5ba81b68382a0000000000000000000000000000',
      signature: '2f6a4d1b7c8a4c1f'.repeat(8),
    }
    const document = {
      '@context': [CREDENTIALS_V1, 'https://schema.iden3.io/core/jsonld/iden3proofs.jsonld'],
      id: 'urn:uuid:3a4b5c6d-0000-4000-8000-000000000001',
      type: ['VerifiableCredential', 'KYCAgeCredential'],
      issuer: 'did:polygonid:polygon:amoy:2qQ68JkRcf3xrHPQPWZei3YeVzHPP58wYNxx2mEouR',
      issuanceDate: '2026-01-01T00:00:00Z',
      credentialSubject: { id: 'did:example:a', birthday: 19960424 },
      proof: [proof],
    }
    expect(await findingsOf(document, key)).toEqual({ proof: UNAVAILABLE })
    const claimed = { ...document, '@context': [...document['@context'], BJJ_2021] }
    expect(await findingsOf(claimed, key)).toEqual({ proof: UNAVAILABLE })
  })

  it('ours, when its document does not name our context', async () => {
    const document = await signed('1.1')
    const contexts = asArray(document['@context']).filter((part) => part !== BJJ_2021)
    expect(await findingsOf({ ...document, '@context': contexts }, key)).toEqual({ proof: UNAVAILABLE })
  })
})

it('a proof of another suite is none when it is called so, and this is none when it is called another', async () => {
  const document = await signed('1.1')
  const [proof = {}] = proofsOf(document)
  const called = { ...document, proof: { ...proof, type: 'Ed25519Signature2020' } }
  expect((await findingsOf(called, key)).proof?.passed).toBe(false)
})
