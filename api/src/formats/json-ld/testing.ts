import { generateKeyPairSync, sign } from 'node:crypto'
import { encodeBase58 } from '@accredit/chain'
import type { Json, JsonObject } from '../json.js'
import { hashHere } from './canonical/canonize.js'
import { contextFor } from './contexts/credential-context.js'
import { NO_EXTRA_CONTEXTS } from './contexts/document-loader.js'
import { addProof } from './linked-data-proof.js'
import type { SignatureSuite } from './signature-suite.js'

/** A did:key and its signature, for tests that need no signer. */
export function testKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(12))
  const multibase = `z${encodeBase58(Uint8Array.from([0xed, 0x01, ...raw]))}`
  const did = `did:key:${multibase}`
  return {
    did,
    multibase,
    publicKey: raw,
    keyId: `${did}#${multibase}`,
    sign: async (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)),
  }
}

export type TestKey = ReturnType<typeof testKey>

/** An unsigned credential in W3C's names; `more` replaces members. */
export const unsignedCredential = (issuer: Json, more: JsonObject = {}): JsonObject => ({
  id: 'https://issuer.example/credentials/1',
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  issuer,
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
  ...more,
})

/** A credential signed by `key`, as issuing would make it. */
export async function signedCredential(
  key: TestKey,
  suite: SignatureSuite,
  more: JsonObject = {},
  created = '2026-01-01T00:00:00.123Z',
): Promise<JsonObject> {
  const credential = unsignedCredential(key.did, more)
  const added = suite.context === undefined ? [] : [suite.context]
  const { context } = contextFor({ credential, given: [], added, extra: NO_EXTRA_CONTEXTS })
  return addProof({
    document: { '@context': context, ...credential },
    suite,
    options: { created, verificationMethod: key.keyId, proofPurpose: 'assertionMethod' },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: key.sign,
  })
}
