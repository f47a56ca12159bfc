import type { HashOf } from '../credential-format.js'
import { asArray, isObject, type JsonObject } from '../json.js'
import type { IssuingSuite, ProofOptions, SignatureSuite, VerifyingTools } from './suites/signature-suite.js'

/** Signs bytes with the issuer's key, wherever that is. */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>

export interface ProofRequest<T extends JsonObject = JsonObject> {
  /** The document with its final `@context`, which must hold those of the suite. */
  document: T
  suite: IssuingSuite
  options: ProofOptions
  hash: HashOf
  sign: Sign
}

/** The document with its proof as last member. @throws FormatError */
export async function addProof<T extends JsonObject>(request: ProofRequest<T>): Promise<T & { proof: JsonObject }> {
  const proof = prepareProof(request)
  return proof.finish(await request.sign(await proof.toSign(request.hash)))
}

/** A proof that lacks its signature only. */
export function prepareProof<T extends JsonObject>({
  document,
  suite,
  options,
}: Omit<ProofRequest<T>, 'hash' | 'sign'>) {
  const { proof: _, ...unsigned } = document
  const proof = suite.proofFor(unsigned, options)
  return {
    /** @throws FormatError */
    toSign: async (hash: HashOf): Promise<Uint8Array> =>
      suite.toSign(await suite.hash({ document: unsigned, proof }, hash)),
    finish: (signature: Uint8Array): T & { proof: JsonObject } => ({
      ...document,
      proof: suite.withSignature(proof, signature),
    }),
  }
}

export interface ProofCheck {
  /** The document without its proofs. */
  unsigned: JsonObject
  proof: JsonObject
  suite: SignatureSuite
  publicKey: Uint8Array
  hash: HashOf
  tools: VerifyingTools
}

/**
 * Tells whether the key made this proof over this document.
 * @throws FormatError when the document cannot be read
 */
export async function checkProof(check: ProofCheck): Promise<{ verified: boolean; reason?: string }> {
  const { unsigned, proof, suite, publicKey, hash, tools } = check
  const hashes = await suite.hash({ document: unsigned, proof: suite.withoutSignature(proof) }, hash)
  const found = suite.signatureOf(proof, hashes)
  if (typeof found === 'string') return { verified: false, reason: found }
  const verified = await suite.verify(publicKey, found.signed, found.signature, tools)
  return verified ? { verified } : { verified, reason: 'the signature does not fit the document' }
}

/** A document's proofs, in order. */
export const proofsOf = (document: JsonObject): JsonObject[] => asArray(document.proof).filter(isObject)
