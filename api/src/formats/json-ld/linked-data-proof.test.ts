import { encodeBase58 } from '@accredit/chain'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020'
import * as vc from '@digitalbazaar/vc'
import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../json.js'
import { hashHere } from './canonical/canonize.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from './contexts/document-loader.js'
import { ED25519_2018, ED25519_2020 } from './contexts/known-contexts.js'
import { addProof, checkProof, proofsOf } from './linked-data-proof.js'
import { ed25519Of2018 } from './suites/ed25519-2018.js'
import { ed25519Of2020 } from './suites/ed25519-2020.js'
import type { SignatureSuite } from './suites/signature-suite.js'
import { signedCredential, type TestKey, testKey, toolsHere, unsignedCredential } from './testing.js'

const withoutProof = ({ proof: _, ...unsigned }: JsonObject): JsonObject => unsigned
const proofOf = (document: JsonObject): JsonObject => proofsOf(document)[0] ?? {}

const check = (document: JsonObject, suite: SignatureSuite, key: TestKey) =>
  checkProof({
    unsigned: withoutProof(document),
    proof: proofOf(document),
    suite,
    publicKey: key.publicKey,
    hash: hashHere(NO_EXTRA_CONTEXTS),
    tools: toolsHere,
  })

/** Loads the key for the reference library, in the shape that each of its suites wants. */
function referenceLoader(key: TestKey, year: '2018' | '2020') {
  const controller = { '@context': 'https://w3id.org/security/v2', id: key.did, assertionMethod: [key.keyId] }
  const method =
    year === '2018'
      ? { '@context': ED25519_2018, type: 'Ed25519VerificationKey2018', publicKeyBase58: encodeBase58(key.publicKey) }
      : { '@context': ED25519_2020, type: 'Ed25519VerificationKey2020', publicKeyMultibase: key.multibase }
  const load = documentLoader(NO_EXTRA_CONTEXTS)
  return async (url: string) => {
    if (url === key.did) return { contextUrl: null, documentUrl: url, document: controller }
    if (url === key.keyId)
      return { contextUrl: null, documentUrl: url, document: { ...method, id: url, controller: key.did } }
    return load(url)
  }
}

const suites = [
  { suite: ed25519Of2020, year: '2020' as const, Reference: Ed25519Signature2020 },
  { suite: ed25519Of2018, year: '2018' as const, Reference: Ed25519Signature2018 },
]

describe.each(suites)('$suite.proofType', ({ suite, year, Reference }) => {
  const key = testKey()
  const signature = (text: string): JsonObject => (suite === ed25519Of2020 ? { proofValue: text } : { jws: text })

  it('is accepted by the reference library, with status, relative subject id and generated terms', async () => {
    const document = await signedCredential(key, suite, {
      issuer: { id: key.did, name: 'A University', logo: 'https://issuer.example/logo.png' },
      credentialSchema: { id: 'https://issuer.example/schema.json', type: 'JsonSchemaValidator2018' },
      name: 'A degree',
    })
    const result = await vc.verifyCredential({
      credential: document,
      suite: new Reference(),
      documentLoader: referenceLoader(key, year),
    })
    expect(result.error?.errors ?? result.error).toBeUndefined()
    expect(result.verified).toBe(true)
  })

  it('accepts what the reference library signs', async () => {
    const credential: JsonObject = {
      '@context': [
        'https://www.w3.org/2018/credentials/v1',
        ...(suite.contexts['1.1'] ?? []),
        { '@vocab': 'https://v.example/' },
      ],
      ...unsignedCredential(key.did),
    }
    const signer = { id: key.keyId, sign: ({ data }: { data: Uint8Array }) => key.sign(data) }
    const signed: unknown = await vc.issue({
      credential,
      suite: new Reference({ signer, verificationMethod: key.keyId }),
      documentLoader: referenceLoader(key, year),
    })
    if (!isObject(signed)) throw new Error('no document')
    expect(await check(signed, suite, key)).toMatchObject({ verified: true })
  })

  it.each<[string, (document: JsonObject) => JsonObject]>([
    [
      'a claim changed',
      (d) => ({
        ...d,
        credentialSubject: { ...(isObject(d.credentialSubject) ? d.credentialSubject : {}), degree: 'Ph.D.' },
      }),
    ],
    [
      'a claim of value 0 for another',
      (d) => ({ ...d, credentialSubject: { ...(isObject(d.credentialSubject) ? d.credentialSubject : {}), year: 0 } }),
    ],
    ['the date changed', (d) => ({ ...d, issuanceDate: '2020-01-01T00:00:00Z' })],
    ['the proof dated back', (d) => ({ ...d, proof: { ...proofOf(d), created: '2020-01-01T00:00:00Z' } })],
    ['another key named', (d) => ({ ...d, proof: { ...proofOf(d), verificationMethod: 'did:svc:1111#keys-1' } })],
    ['another purpose', (d) => ({ ...d, proof: { ...proofOf(d), proofPurpose: 'authentication' } })],
    ['no signature', (d) => ({ ...d, proof: { ...proofOf(d), ...signature('') } })],
    [
      'half a signature',
      (d) => ({ ...d, proof: { ...proofOf(d), ...signature(suite === ed25519Of2020 ? 'zabc' : 'e30..abc') } }),
    ],
  ])('refuses %s', async (_, change) => {
    const document = await signedCredential(key, suite)
    expect(await check(change(document), suite, key)).toMatchObject({ verified: false })
  })

  it('refuses a member that no context defines, instead of leaving it unsigned', async () => {
    const document = await signedCredential(key, suite)
    await expect(check({ ...document, smuggled: true }, suite, key)).rejects.toThrow(/smuggled/)
  })

  it.each(['=', '!', '\n'])('refuses a signature with %j behind it', async (more) => {
    const document = await signedCredential(key, suite)
    const { proofValue, jws } = proofOf(document)
    const longer = signature(`${String(proofValue ?? jws)}${more}`)
    expect(await check({ ...document, proof: { ...proofOf(document), ...longer } }, suite, key)).toMatchObject({
      verified: false,
    })
  })

  it('refuses a long list of one value with a reason', async () => {
    const credentialSubject = { values: Array.from({ length: 100 }, () => 0) }
    await expect(signedCredential(key, suite, { credentialSubject })).rejects.toMatchObject({ code: 'too_large' })
  })

  it('refuses another key', async () => {
    expect(await check(await signedCredential(key, suite), suite, testKey())).toMatchObject({ verified: false })
  })

  it('takes no longer than needed to say that a context is unknown', async () => {
    const document = {
      ...unsignedCredential(key.did),
      '@context': ['https://www.w3.org/2018/credentials/v1', 'https://nowhere.invalid/x'],
    }
    const signing = addProof({
      document,
      suite,
      options: { created: '2026-01-01T00:00:00Z', verificationMethod: key.keyId, proofPurpose: 'assertionMethod' },
      hash: hashHere(NO_EXTRA_CONTEXTS),
      sign: key.sign,
    })
    await expect(signing).rejects.toMatchObject({
      code: 'unknown_context',
      message: expect.stringContaining('nowhere.invalid'),
    })
  })
})
