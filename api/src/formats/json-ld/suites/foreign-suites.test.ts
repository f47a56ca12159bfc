import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { decodeBase58, encodeBase58 } from '@accredit/chain'
import { sr25519PairFromSeed, sr25519Sign } from '@polkadot/util-crypto'
import * as didkit from '@spruceid/didkit-wasm-node'
import jsigs5 from 'jsonld-signatures-5'
import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { CREDENTIALS_V1, ED25519_2020 } from '../contexts/known-contexts.js'
import { proofsOf } from '../linked-data-proof.js'
import { placesOf, withValue } from '../mutants.testing.js'
import { findingsOf, signedCredential, type TestKey, testKey } from '../testing.js'
import { ed25519Of2018 } from './ed25519-2018.js'
import { ed25519Of2020 } from './ed25519-2020.js'

const PASSED = { proof: { passed: true } }
const deprecated = (type: string) => ({ proof: { passed: true, warning: `proofs of type ${type} are deprecated` } })

const contexts = [CREDENTIALS_V1, ED25519_2020, 'https://www.w3.org/2018/credentials/examples/v1']
const unsigned = (issuer: string): JsonObject => ({
  '@context': contexts,
  id: 'http://example.edu/credentials/3732',
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  issuer,
  issuanceDate: '2020-01-01T19:23:24Z',
  credentialSubject: { id: 'did:example:a', degree: { type: 'BachelorDegree', name: 'Bachelor of Science' } },
})

/** Signs with DIDKit by a did:key, and reads the public half back from the DID. */
async function signedByDidKit(privateKey: KeyObject, type: string): Promise<{ document: JsonObject; key: TestKey }> {
  const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }))
  const [did, keyId] = [didkit.keyToDID('key', jwk), await didkit.keyToVerificationMethod('key', jwk)]
  const options = { type, verificationMethod: keyId, proofPurpose: 'assertionMethod' }
  const text = await didkit.issueCredential(JSON.stringify(unsigned(did)), JSON.stringify(options), jwk)
  const document: unknown = JSON.parse(text)
  const publicKey = decodeBase58(did.slice('did:key:z'.length))?.slice(2)
  if (!isObject(document) || publicKey === undefined) throw new Error('DIDKit signed nothing')
  return { document, key: { ...testKey(), did, keyId, publicKey } }
}

const verifiedByDidKit = async (document: JsonObject): Promise<unknown> =>
  JSON.parse(await didkit.verifyCredential(JSON.stringify(document), '{"proofPurpose":"assertionMethod"}'))
const NO_ERRORS = { checks: ['proof'], warnings: [], errors: [] }

async function expectEachLeafSigned(document: JsonObject, key: TestKey): Promise<void> {
  const leaves = [...placesOf(document)].filter(
    ({ value, path }) => typeof value === 'string' && path.at(-1) !== 'type',
  )
  expect(leaves.length).toBeGreaterThan(8)
  for (const { path, value } of leaves) {
    const changed = withValue(document, path, `${value}x`)
    if (!isObject(changed)) throw new Error('no document')
    expect([path, (await findingsOf(changed, key)).proof?.passed ?? false]).toEqual([path, false])
  }
}

describe.each([ed25519Of2018, ed25519Of2020])('DIDKit and $proofType', (suite) => {
  it('verifies ours', async () => {
    const document = await signedCredential(testKey(), suite)
    expect(await verifiedByDidKit(document)).toEqual(NO_ERRORS)
    expect(await verifiedByDidKit({ ...document, id: 'urn:x:other' })).not.toEqual(NO_ERRORS)
  })

  it('is verified by us', async () => {
    const { document, key } = await signedByDidKit(generateKeyPairSync('ed25519').privateKey, suite.proofType)
    expect(await findingsOf(document, key)).toEqual(PASSED)
    await expectEachLeafSigned(document, key)
  })
})

describe('EcdsaSecp256k1Signature2019', () => {
  const made = () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    return signedByDidKit(privateKey, 'EcdsaSecp256k1Signature2019')
  }

  it('of DIDKit is verified, with a warning, and every leaf of it is signed', async () => {
    const { document, key } = await made()
    expect(await findingsOf(document, key)).toEqual(deprecated('EcdsaSecp256k1Signature2019'))
    await expectEachLeafSigned(document, key)
  })

  it('is not verified by another key, by half of one, or under another header', async () => {
    const [{ document, key }, other] = [await made(), await made()]
    for (const publicKey of [other.key.publicKey, key.publicKey.slice(1), new Uint8Array(33), testKey().publicKey])
      expect((await findingsOf(document, { ...key, publicKey })).proof).toMatchObject({ reason: 'invalid_signature' })
    const [proof = {}] = proofsOf(document)
    const [, , signature] = String(proof.jws).split('.')
    for (const header of [{ alg: 'EdDSA', b64: false, crit: ['b64'] }, { alg: 'none' }, { alg: 'ES256K' }]) {
      const jws = `${Buffer.from(JSON.stringify(header)).toString('base64url')}..${signature}`
      expect((await findingsOf({ ...document, proof: { ...proof, jws } }, key)).proof?.passed).toBe(false)
    }
  })
})

describe('Sr25519Signature2020', () => {
  const pair = sr25519PairFromSeed(new Uint8Array(32).fill(7))
  const did = 'did:svc:5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty'
  const key: TestKey = { ...testKey(), did, keyId: `${did}#keys-1`, publicKey: Uint8Array.from(pair.publicKey) }

  /** The suite as software of its time made it of jsonld-signatures 5. */
  class Sr25519Signature2020 extends jsigs5.suites.LinkedDataSignature {
    sign({ verifyData, proof }: { verifyData: Uint8Array; proof: object }) {
      return { ...proof, proofValue: `z${encodeBase58(sr25519Sign(verifyData, pair))}` }
    }
  }

  async function made(): Promise<JsonObject> {
    const suite = new Sr25519Signature2020({ type: 'Sr25519Signature2020', verificationMethod: key.keyId })
    const signed: unknown = await jsigs5.sign(unsigned(did), {
      suite,
      purpose: new jsigs5.purposes.AssertionProofPurpose(),
      documentLoader: documentLoader(NO_EXTRA_CONTEXTS),
      compactProof: false,
    })
    if (!isObject(signed)) throw new Error('nothing was signed')
    const [proof = {}] = proofsOf(signed)
    const { '@context': _, ...members } = proof
    return { ...signed, proof: members }
  }

  it('is verified, with a warning, and every leaf of it is signed', async () => {
    const document = await made()
    expect(await findingsOf(document, key)).toEqual(deprecated('Sr25519Signature2020'))
    await expectEachLeafSigned(document, key)
  })

  it('is not verified by another key, or one that everybody can sign with', async () => {
    const document = await made()
    const other = Uint8Array.from(sr25519PairFromSeed(new Uint8Array(32)).publicKey)
    for (const publicKey of [other, new Uint8Array(32), new Uint8Array(31)])
      expect((await findingsOf(document, { ...key, publicKey })).proof).toMatchObject({ reason: 'invalid_signature' })
  })

  it('is none when it is called another, and another is none when it is called so', async () => {
    const document = await made()
    const [proof = {}] = proofsOf(document)
    const renamed = { ...document, proof: { ...proof, type: 'Ed25519Signature2020' } }
    expect((await findingsOf(renamed, key)).proof?.passed).toBe(false)
    const ours = await signedCredential(key, ed25519Of2020)
    const called = { ...ours, proof: { ...proofsOf(ours)[0], type: 'Sr25519Signature2020' } }
    expect((await findingsOf(called, key)).proof?.passed).toBe(false)
  })
})
