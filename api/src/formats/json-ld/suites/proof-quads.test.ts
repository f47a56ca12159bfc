import { describe, expect, it } from 'vitest'
import { FormatError } from '../../format-error.js'
import type { Json, JsonObject } from '../../json.js'
import { canonize } from '../canonical/canonize.js'
import { NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import {
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_2020,
  KNOWN_CONTEXTS,
  STATUS_LIST_2021,
} from '../contexts/known-contexts.js'
import { RELATIVE_IDS, termsContext } from '../contexts/terms.js'
import { quadsOfUsualProof } from './proof-quads.js'

const usual = (more: JsonObject = {}): JsonObject => ({
  type: 'Ed25519Signature2020',
  created: '2026-01-01T00:00:00.123Z',
  verificationMethod: 'did:svc:5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty#keys-1',
  proofPurpose: 'assertionMethod',
  ...more,
})
const terms: JsonObject = {
  ...termsContext(['degree', 'created', 'did', 'proofPurpose', 'challenge', 'type']),
  '@base': RELATIVE_IDS,
}

const refusal = (error: unknown): FormatError => {
  if (error instanceof FormatError) return error
  throw error
}
const integrity = (more: JsonObject = {}): JsonObject =>
  usual({ type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022', ...more })

/** They protect a term that another one defines otherwise: a document that names both cannot be read at all. */
const CONFLICTING = [
  'https://www.w3.org/2018/credentials/v1',
  'https://www.w3.org/2018/credentials/examples/v1',
  'https://www.w3.org/ns/credentials/v2',
  'https://w3id.org/citizenship/v1',
  'https://w3id.org/security/data-integrity/v1',
  'https://schema.org',
  'https://schema.org/',
  'http://schema.org',
  'http://schema.org/',
  'https://w3id.org/security/v1',
  'https://w3id.org/security/v2',
  'https://w3id.org/security/suites/ed25519-2018/v1',
]

describe('the proof written without JSON-LD', () => {
  it.each<[string, JsonObject, Json[]]>([
    ['2020', usual(), [CREDENTIALS_V1, ED25519_2020]],
    ['2020 under data model 2.0', usual(), [CREDENTIALS_V2, ED25519_2020, terms]],
    ['Data Integrity', integrity(), [CREDENTIALS_V1, DATA_INTEGRITY_V2, terms]],
    ['Data Integrity under data model 2.0', integrity({ proofPurpose: 'authentication' }), [CREDENTIALS_V2, terms]],
    [
      '2020 among others',
      usual({ proofPurpose: 'authentication' }),
      [CREDENTIALS_V1, STATUS_LIST_2021, ED25519_2020, terms],
    ],
    ['2018', usual({ type: 'Ed25519Signature2018', created: '2026-01-01T00:00:00+02:00' }), [CREDENTIALS_V1, terms]],
    ['did:key', usual({ verificationMethod: 'did:key:z6MkA#z6MkA' }), [CREDENTIALS_V1, ED25519_2020]],
  ])('equals the general way: %s', async (_, proof, context) => {
    const general = await canonize({ '@context': context, ...proof }, NO_EXTRA_CONTEXTS)
    expect(quadsOfUsualProof(proof, context)).toBe(general)
  })

  it.each([...KNOWN_CONTEXTS.keys()])('equals the general way beside %s, wherever that stands', async (url) => {
    const proofs = [usual(), usual({ type: 'Ed25519Signature2018', proofPurpose: 'authentication' }), integrity()]
    for (const proof of proofs)
      for (const context of [
        [CREDENTIALS_V1, url, ED25519_2020],
        [CREDENTIALS_V1, ED25519_2020, url],
        [CREDENTIALS_V1, DATA_INTEGRITY_V2, url],
        [CREDENTIALS_V2, url, ED25519_2020],
        [CREDENTIALS_V2, url],
      ]) {
        const general = await canonize({ '@context': context, ...proof }, NO_EXTRA_CONTEXTS).catch(refusal)
        const quick = quadsOfUsualProof(proof, context)
        if (typeof general === 'string') expect([general, undefined]).toContain(quick)
        else if (quick !== undefined) expect(CONFLICTING).toContain(url)
      }
  })

  it.each<[string, JsonObject, Json]>([
    ['further members', usual({ challenge: 'x' }), [CREDENTIALS_V1, ED25519_2020]],
    ['another date form', usual({ created: '2026-01-01"^^<x> .\n' }), [CREDENTIALS_V1, ED25519_2020]],
    ['a method that needs escaping', usual({ verificationMethod: 'did:x:a b#1' }), [CREDENTIALS_V1, ED25519_2020]],
    ['an unknown purpose', usual({ proofPurpose: 'keyAgreement' }), [CREDENTIALS_V1, ED25519_2020]],
    ['a context of somebody else', usual(), [CREDENTIALS_V1, ED25519_2020, { did: 'https://elsewhere.example/' }]],
    ['an unknown context', usual(), [CREDENTIALS_V1, ED25519_2020, 'https://elsewhere.example/']],
    ['a missing suite context', usual(), [CREDENTIALS_V1]],
    ['a missing context of data model 1.1', integrity(), [CREDENTIALS_V1, ED25519_2020]],
    ['Data Integrity without a cryptosuite', usual({ type: 'DataIntegrityProof' }), [CREDENTIALS_V2]],
    ['a cryptosuite that needs escaping', integrity({ cryptosuite: 'x" .\n' }), [CREDENTIALS_V2]],
    ['a cryptosuite of another type', usual({ cryptosuite: 'eddsa-rdfc-2022' }), [CREDENTIALS_V1, ED25519_2020]],
    ['a type that the first context does not define', usual({ type: 'Ed25519Signature2018' }), [CREDENTIALS_V2]],
    ['no list of contexts', usual(), CREDENTIALS_V1],
    ['a context that is none', usual(), [CREDENTIALS_V1, ED25519_2020, 7]],
    ['a base that is none', usual(), [CREDENTIALS_V1, ED25519_2020, { '@base': null }]],
    [
      'a term of somebody else among ours',
      usual(),
      [CREDENTIALS_V1, ED25519_2020, { ...terms, did: 'https://elsewhere.example/' }],
    ],
    ['a date in a list', usual({ created: ['2026-01-01T00:00:00Z'] }), [CREDENTIALS_V1, ED25519_2020]],
    ['something before a date', usual({ created: 'x2026-01-01T00:00:00Z' }), [CREDENTIALS_V1, ED25519_2020]],
    ['something behind a date', usual({ created: '2026-01-01T00:00:00Z"' }), [CREDENTIALS_V1, ED25519_2020]],
    ['a method in a list', usual({ verificationMethod: ['did:x:a#1'] }), [CREDENTIALS_V1, ED25519_2020]],
    ['something before a method', usual({ verificationMethod: '"did:x:a#1' }), [CREDENTIALS_V1, ED25519_2020]],
    ['something behind a method', usual({ verificationMethod: 'did:x:a#1>' }), [CREDENTIALS_V1, ED25519_2020]],
    ['a cryptosuite that needs escaping first', integrity({ cryptosuite: '"x' }), [CREDENTIALS_V2]],
    ['a prototype name as purpose', usual({ proofPurpose: 'constructor' }), [CREDENTIALS_V1, ED25519_2020]],
  ])('is not taken for %s', (_, proof, context) => {
    expect(quadsOfUsualProof(proof, context)).toBeUndefined()
  })

  it('is not taken for a proof without contexts', () => {
    expect(quadsOfUsualProof(usual(), undefined)).toBeUndefined()
  })
})
