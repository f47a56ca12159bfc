import type { Algorithm, ProofPurpose } from '../credential-format.js'
import type { JsonObject } from '../json.js'

/** The members of a proof that are signed together with the document. */
export interface ProofOptions {
  created: string
  verificationMethod: string
  proofPurpose: ProofPurpose
  challenge?: string
  domain?: string
}

/**
 * One signature suite over canonized documents: how the hash is signed and how the signature stands in the proof. It
 * holds no keys: the signer gives the signature, the verifier the public key.
 */
export interface SignatureSuite {
  /** Its name in issue requests, and the key that signs. */
  readonly algorithm: Algorithm
  readonly proofType: string
  /** The context that defines the proof, when credentials/v1 does not. */
  readonly context: string | undefined
  /** Returns the bytes to sign. @param hash SHA-256(proof) ++ SHA-256(document) */
  toSign(hash: Uint8Array): Uint8Array
  withSignature(proof: JsonObject, signature: Uint8Array): JsonObject
  /** Returns the signature's bytes and what it must stand over, or why there are none. */
  signatureOf(proof: JsonObject, hash: Uint8Array): { signature: Uint8Array; signed: Uint8Array } | string
  /** The proof without its signature. */
  withoutSignature(proof: JsonObject): JsonObject
  verify(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array): Promise<boolean>
}
