import type { Algorithm, FormatTools, HashOf, KeyKind, ProofPurpose } from '../../credential-format.js'
import type { JsonObject } from '../../json.js'
import type { DataModel } from '../data-model.js'

/** The members of a proof that are signed together with the document. */
export interface ProofOptions {
  created?: string
  verificationMethod: string
  proofPurpose: ProofPurpose
  challenge?: string
  domain?: string
}

/** A document and one proof of it, without its signature: what is signed. */
export interface Unsigned {
  /** The document without the proof. */
  document: JsonObject
  proof: JsonObject
}

/** The services that checking a signature may need. */
export type VerifyingTools = Pick<FormatTools, 'babyJubJub'>

/**
 * One signature suite: the form in which document and proof are hashed, how the hash is signed, and how the signature
 * stands in the proof. It holds no keys: the signer gives the signature, the verifier the public key.
 */
export interface SignatureSuite {
  readonly keyKind: KeyKind
  readonly proofType: string
  /** Tells the suites of one type of proof apart. */
  readonly cryptosuite?: string
  /** Proofs that were checked are told of with a warning. */
  readonly isDeprecated?: true
  /** Its proofs may leave out when they were made. */
  readonly isTimeOptional?: true
  /**
   * Returns SHA-256(proof) ++ SHA-256(document), both in a canonical form.
   * @throws FormatError
   */
  hash(unsigned: Unsigned, hash: HashOf): Promise<Uint8Array>
  /** Returns the signature's bytes and what it must stand over, or why there are none. */
  signatureOf(proof: JsonObject, hash: Uint8Array): { signature: Uint8Array; signed: Uint8Array } | string
  /** The proof without its signature. */
  withoutSignature(proof: JsonObject): JsonObject
  /** Says why a proof of this type cannot be checked, where others write another form of it. */
  otherForm?(unsigned: Unsigned): string | undefined
  /** @throws FormatError where it could not be checked */
  verify(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array, tools: VerifyingTools): Promise<boolean>
}

/** A suite that issuers sign with. */
export interface IssuingSuite extends SignatureSuite {
  /** Its name in issue requests, and the key that signs. */
  readonly algorithm: Algorithm
  /** The contexts that define its proofs beside that of the data model, for each data model that it signs. */
  readonly contexts: Partial<Record<DataModel, readonly string[]>>
  /** The proof of a document up to its signature. */
  proofFor(document: JsonObject, options: ProofOptions): JsonObject
  /** Returns the bytes to sign. */
  toSign(hash: Uint8Array): Uint8Array
  withSignature(proof: JsonObject, signature: Uint8Array): JsonObject
}
