import { encodeBase58 } from '@accredit/chain'
import library from '@mattrglobal/bbs-signatures/lib/wasm_module.js'
import { expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../formats/json.js'
import { canonize } from '../formats/json-ld/canonical/canonize.js'
import { NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { CREDENTIALS_V1 } from '../formats/json-ld/contexts/known-contexts.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { TestVerifier } from './testing.js'

const CONTEXT = [CREDENTIALS_V1, 'https://w3id.org/citizenship/v1', 'https://w3id.org/security/bbs/v1']

const world = forAllTests(async () => TestVerifier.open())

async function issuer(seed = 1) {
  const keyPair = await library.generateBls12381G2KeyPair(new Uint8Array(32).fill(seed))
  const multibase = `z${encodeBase58(Uint8Array.from([0xeb, 0x01, ...keyPair.publicKey]))}`
  return { keyPair, did: `did:key:${multibase}`, keyId: `did:key:${multibase}#${multibase}` }
}

const lines = async (document: JsonObject): Promise<Uint8Array[]> =>
  (await canonize(document, NO_EXTRA_CONTEXTS))
    .split('\n')
    .filter(Boolean)
    .map((line) => new Uint8Array(Buffer.from(line)))

/** A credential as issuers with this suite make them, by the library that they have. */
async function signed(more: JsonObject = {}, options: JsonObject = {}): Promise<JsonObject> {
  const { keyPair, did, keyId } = await issuer()
  const document: JsonObject = {
    '@context': CONTEXT,
    id: 'https://issuer.example/credentials/83627465',
    type: ['VerifiableCredential', 'PermanentResidentCard'],
    issuer: did,
    issuanceDate: '2019-12-03T12:19:52Z',
    credentialSubject: {
      id: 'did:example:b34ca6cd37bbf23',
      type: ['PermanentResident', 'Person'],
      givenName: 'JOHN',
      familyName: 'SMITH',
    },
    ...more,
  }
  const proof = {
    type: 'BbsBlsSignature2020',
    created: '2020-04-25T00:00:00Z',
    proofPurpose: 'assertionMethod',
    verificationMethod: keyId,
    ...options,
  }
  const messages = [
    ...(await lines({ ...proof, '@context': document['@context'] ?? null })),
    ...(await lines(document)),
  ]
  const signature = await library.blsSign({ keyPair, messages })
  return { ...document, proof: { ...proof, proofValue: Buffer.from(signature).toString('base64') } }
}

async function checksOf(document: Json): Promise<Record<string, unknown>> {
  const { body } = await world().verify(document)
  const checks = body.checks.map(({ check, passed, reason }: Record<string, string>) => [check, reason ?? passed])
  return { verified: body.verified, ...Object.fromEntries(checks) }
}

it('a credential of another issuer with BbsBlsSignature2020 verifies', async () => {
  expect(await checksOf(await signed())).toMatchObject({
    verified: true,
    structure: true,
    proof: true,
    issuerKey: true,
  })
})

it('and not with a claim, a proof, a key or an issuer changed', async () => {
  const good = await signed()
  const proof = isObject(good.proof) ? good.proof : {}
  const subject = isObject(good.credentialSubject) ? good.credentialSubject : {}
  const stranger = await issuer(2)
  const changed: JsonObject[] = [
    { ...good, credentialSubject: { ...subject, givenName: 'JANE' } },
    { ...good, credentialSubject: { ...subject, gender: 'Male' } },
    { ...good, issuanceDate: '2019-12-03T12:19:53Z' },
    { ...good, unknown: 'x' },
    { ...good, proof: { ...proof, created: '2020-04-25T00:00:01Z' } },
    { ...good, proof: { ...proof, challenge: 'x' } },
    { ...good, proof: { ...proof, verificationMethod: stranger.keyId } },
    { ...good, issuer: stranger.did },
    { ...good, issuer: stranger.did, proof: { ...proof, verificationMethod: stranger.keyId } },
    { ...good, proof: { ...proof, proofValue: `${String(proof.proofValue).slice(0, -4)}AAAA` } },
    { ...good, proof: { ...proof, proofValue: '' } },
    { ...good, proof: { ...proof, proofPurpose: 'authentication' } },
    { ...good, proof: { ...proof, '@context': CONTEXT } },
    { ...good, proof: [proof, proof] },
  ]
  for (const document of changed) expect(await checksOf(document)).toMatchObject({ verified: false })
})

it('a claim that stands in the proof is none, though the signature fits: it covers statements, wherever they stand', async () => {
  const honours = 'https://www.w3.org/ns/credentials/issuer-dependent#honours'
  const context: Json = [...CONTEXT, { honours }]
  const moved = await signed({ '@context': context }, { honours: 'summa cum laude' })
  expect(await checksOf(moved)).toMatchObject({ verified: false, proof: 'malformed' })
})

it('a proof that is derived of one is unavailable, and never passes', async () => {
  const good = await signed({}, { type: 'BbsBlsSignatureProof2020', nonce: 'AAAA' })
  expect(await checksOf(good)).toMatchObject({ verified: false, proof: 'unavailable' })
})

it('a proof of the year before tells its end, which counts', async () => {
  const over = await signed({ expirationDate: '2020-12-03T12:19:52Z' })
  expect(await checksOf(over)).toMatchObject({ verified: false, proof: true, validity: 'expired' })
})
