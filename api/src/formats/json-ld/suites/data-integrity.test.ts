import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { createSignCryptosuite, createVerifyCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
import { cryptosuite as rdfc } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import * as vc from '@digitalbazaar/vc'
import { describe, expect, it } from 'vitest'
import { asArray, isObject, type JsonObject } from '../../json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { CREDENTIALS_V1, CREDENTIALS_V2, ED25519_2020 } from '../contexts/known-contexts.js'
import type { DataModel } from '../data-model.js'
import { proofsOf } from '../linked-data-proof.js'
import { placesOf, withValue } from '../mutants.testing.js'
import { findingsOf, signedOf, type TestKey, testKey, unsignedCredential, unsignedCredential2 } from '../testing.js'
import { W3C_EXAMPLES_2 } from '../w3c-examples-2.testing.js'
import { ed25519Of2020 } from './ed25519-2020.js'
import { eddsaJcs2022 } from './eddsa-jcs-2022.js'
import { eddsaRdfc2022 } from './eddsa-rdfc-2022.js'

const key = testKey()
const PASSED = { proof: { passed: true } }

const proofOf = (document: JsonObject): JsonObject => proofsOf(document)[0] ?? {}
const withProof = (document: JsonObject, more: JsonObject): JsonObject => ({
  ...document,
  proof: { ...proofOf(document), ...more },
})
/** Loads the key for the reference library, as a Multikey. */
function referenceLoader({ did, keyId, multibase }: TestKey) {
  const load = documentLoader(NO_EXTRA_CONTEXTS)
  const documents: Record<string, object> = {
    [did]: { '@context': 'https://www.w3.org/ns/did/v1', id: did, assertionMethod: [keyId] },
    [keyId]: {
      '@context': 'https://w3id.org/security/multikey/v1',
      id: keyId,
      type: 'Multikey',
      controller: did,
      publicKeyMultibase: multibase,
    },
  }
  return async (url: string) => {
    const document = documents[url]
    return document ? { contextUrl: null, documentUrl: url, document } : load(url)
  }
}

const cases = [eddsaRdfc2022, eddsaJcs2022].flatMap((suite) =>
  (['1.1', '2.0'] as const).map((model) => ({ suite, model, name: suite.algorithm.name })),
)

const reference = {
  'eddsa-rdfc-2022': { sign: rdfc, verify: rdfc },
  'eddsa-jcs-2022': { sign: createSignCryptosuite(), verify: createVerifyCryptosuite() },
}
const referenceOf = (name: string) => reference[name === 'eddsa-jcs-2022' ? name : 'eddsa-rdfc-2022']

describe.each(cases)('$name in data model $model', ({ suite, model, name }) => {
  const issue = (more: JsonObject = {}) => signedOf(key, suite, { model, more })

  it('is accepted by the reference library', async () => {
    const credential = await issue({ issuer: { id: key.did, name: 'A University' }, name: 'A degree' })
    const result = await vc.verifyCredential({
      credential,
      suite: new DataIntegrityProof({ cryptosuite: referenceOf(name).verify }),
      documentLoader: referenceLoader(key),
    })
    expect(result.error?.errors ?? result.error).toBeUndefined()
    expect(result.verified).toBe(true)
  })

  it('accepts what the reference library signs', async () => {
    const signed: unknown = await vc.issue({
      credential: documentOf(model),
      suite: new DataIntegrityProof({
        cryptosuite: referenceOf(name).sign,
        signer: { id: key.keyId, algorithm: 'Ed25519', sign: ({ data }) => key.sign(data) },
      }),
      documentLoader: referenceLoader(key),
    })
    if (!isObject(signed)) throw new Error('no document')
    expect(await findingsOf(signed, key)).toEqual(PASSED)
  })

  it('passes as it was issued, with an end, several domains, a challenge and a nonce, and without a time', async () => {
    expect(await findingsOf(await issue(), key)).toEqual(PASSED)
    const options = {
      expires: '2100-01-01T00:00:00Z',
      domain: ['a.example', 'b.example'],
      challenge: 'x',
      nonce: 'n',
    }
    expect(await findingsOf(await signedOf(key, suite, { model, options }), key)).toEqual(PASSED)
    const timeless = await signedOf(key, suite, { model, isTimeless: true })
    expect(proofOf(timeless)).not.toHaveProperty('created')
    expect(await findingsOf(timeless, key)).toEqual(PASSED)
  })

  it('fails when any leaf of document or proof is another one, or left out', async () => {
    const options = { expires: '2100-01-01T00:00:00Z', challenge: 'x', domain: ['a.example', 'b.example'] }
    const document = await signedOf(key, suite, { model, options })
    const leaves = [...placesOf(document)].filter(({ value }) => typeof value !== 'object')
    expect(leaves.length).toBeGreaterThan(15)
    for (const { path, value } of leaves) {
      const others = typeof value === 'string' ? [`${value}x`, 'https://x.example/', undefined] : [7, undefined]
      for (const other of others) {
        const changed = withValue(document, path, other)
        if (!isObject(changed)) throw new Error('no document')
        expect([path, (await findingsOf(changed, key)).proof?.passed ?? false]).toEqual([path, false])
      }
    }
  })

  it('fails under the name of another suite, and under none', async () => {
    const document = await issue()
    const other = suite === eddsaRdfc2022 ? eddsaJcs2022 : eddsaRdfc2022
    const { '@context': _, ...bare } = proofOf(withProof(document, { cryptosuite: other.algorithm.name }))
    const contextual = { ...bare, '@context': document['@context'] ?? null }
    for (const relabelled of [bare, contextual].map((proof) => ({ ...document, proof })))
      expect((await findingsOf(relabelled, key)).proof?.passed).toBe(false)
    for (const unknown of ['eddsa-2022', 'EDDSA-RDFC-2022', '', null, [suite.algorithm.name]])
      expect((await findingsOf(withProof(document, { cryptosuite: unknown }), key)).proof).toMatchObject({
        passed: false,
        reason: 'unsupported_cryptosuite',
      })
    expect((await findingsOf(withProof(document, { type: 'Ed25519Signature2020' }), key)).proof?.passed).toBe(false)
  })

  it('fails for another purpose and by another key', async () => {
    const document = await issue()
    expect((await findingsOf(withProof(document, { proofPurpose: 'authentication' }), key)).proof).toMatchObject({
      reason: 'wrong_purpose',
    })
    const stranger = { ...testKey(), keyId: key.keyId }
    expect((await findingsOf(document, stranger)).proof).toMatchObject({ reason: 'invalid_signature' })
  })

  it('fails when one of two proofs does, and passes when both hold', async () => {
    const document = await issue()
    const wrong = withProof(await issue({ name: 'Another' }), {}).proof
    expect(await findingsOf({ ...document, proof: [proofOf(document), proofOf(document)] }, key)).toEqual(PASSED)
    const findings = await findingsOf({ ...document, proof: [proofOf(document), wrong ?? null] }, key)
    expect(findings.proof?.passed).toBe(false)
  })

  it('fails with a member more, anywhere', async () => {
    const document = await issue()
    for (const changed of [{ ...document, more: 'x' }, withProof(document, { more: 'x' })])
      expect((await findingsOf(changed, key)).proof?.passed).toBe(false)
  })
})

const documentOf = (model: DataModel): JsonObject =>
  model === '2.0'
    ? { '@context': [CREDENTIALS_V2, { '@vocab': 'https://v.example/' }], ...unsignedCredential2(key.did) }
    : {
        '@context': [CREDENTIALS_V1, 'https://w3id.org/security/data-integrity/v2', { '@vocab': 'https://v.example/' }],
        ...unsignedCredential(key.did),
      }

describe('the contexts of eddsa-jcs-2022', () => {
  const issue = () => signedOf(key, eddsaJcs2022)

  it('are those of the proof, behind which only contexts that ship with the service may stand', async () => {
    const document = await issue()
    const context = document['@context']
    expect(proofOf(document)['@context']).toEqual(context)
    const followedBy = (...more: (string | JsonObject)[]) =>
      findingsOf({ ...document, '@context': [...context, ...more] }, key)
    expect(await followedBy(ED25519_2020)).toEqual(PASSED)
    expect((await followedBy('https://elsewhere.example/')).proof).toMatchObject({ reason: 'malformed' })
    expect((await followedBy({ degree: 'https://elsewhere.example/' })).proof).toMatchObject({ reason: 'malformed' })
  })

  it.each<[string, JsonObject]>([
    ['others', { '@context': [CREDENTIALS_V2, 'https://elsewhere.example/'] }],
    ['none', { '@context': [] }],
    ['the first one alone', { '@context': CREDENTIALS_V2 }],
  ])('fail where the proof has %s', async (_, more) => {
    expect((await findingsOf(withProof(await issue(), more), key)).proof?.passed).toBe(false)
  })

  it('fail where the document has fewer, others, or another order', async () => {
    const document = await issue()
    const context = document['@context']
    for (const changed of [context.slice(0, 1), [...context].reverse(), [CREDENTIALS_V2, { degree: 'urn:x' }]])
      expect((await findingsOf({ ...document, '@context': changed }, key)).proof?.passed ?? false).toBe(false)
  })
})

describe.each([eddsaRdfc2022, eddsaJcs2022, ed25519Of2020])(
  '$algorithm.name over an example of the standard',
  (suite) => {
    it.each(Object.entries(W3C_EXAMPLES_2))(
      'passes, and fails once a text in it is another: %s',
      async (_, example) => {
        const { '@context': contexts = null, ...more } = example
        const document = await signedOf(key, suite, {
          more: { ...more, issuer: isObject(more.issuer) ? { ...more.issuer, id: key.did } : key.did },
          contexts: asArray(contexts),
        })
        expect(await findingsOf(document, key)).toEqual(PASSED)
        for (const { path, value } of placesOf(document)) {
          if (typeof value !== 'string') continue
          const changed = withValue(document, path, value === 'rtl' ? 'ltr' : `${value}x`)
          expect([path, isObject(changed) && (await findingsOf(changed, key)).proof?.passed]).not.toEqual([path, true])
        }
      },
    )
  },
)

it('Ed25519Signature2020 signs documents of data model 2.0', async () => {
  expect(await findingsOf(await signedOf(key, ed25519Of2020), key)).toEqual(PASSED)
})
