import type { HashOf } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, isObject, type JsonObject } from '../json.js'
import { sha256 } from './canonical/canonize.js'
import { quadsOfUsualProof } from './proof-quads.js'
import type { ProofOptions, SignatureSuite } from './signature-suite.js'

/** Signs bytes with the issuer's key, wherever that is. */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>

export interface ProofRequest<T extends JsonObject = JsonObject> {
  /** The document with its final `@context`, which must hold that of the suite. */
  document: T
  suite: SignatureSuite
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
  const proof: JsonObject = { type: suite.proofType, ...options }
  const { proof: _, ...unsigned } = document
  return {
    /** @throws FormatError */
    toSign: async (hash: HashOf): Promise<Uint8Array> => suite.toSign(await hashOf({ unsigned, proof, suite, hash })),
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
}

/**
 * Tells whether the key made this proof over this document.
 * @throws FormatError when the document cannot be read as JSON-LD
 */
export async function checkProof(check: ProofCheck): Promise<{ verified: boolean; reason?: string }> {
  const { unsigned, proof, suite, publicKey, hash } = check
  const hashes = await hashOf({ unsigned, proof: suite.withoutSignature(proof), suite, hash })
  const found = suite.signatureOf(proof, hashes)
  if (typeof found === 'string') return { verified: false, reason: found }
  const verified = await suite.verify(publicKey, found.signed, found.signature)
  return verified ? { verified } : { verified, reason: 'the signature does not fit the document' }
}

/** A document's proofs, in order. */
export const proofsOf = (document: JsonObject): JsonObject[] => asArray(document.proof).filter(isObject)

async function hashOf(input: {
  unsigned: JsonObject
  proof: JsonObject
  suite: SignatureSuite
  hash: HashOf
}): Promise<Uint8Array> {
  const { unsigned } = input
  if ('@context' in input.proof) throw new FormatError('malformed', 'the proof has a @context of its own')
  const context = unsigned['@context']
  const usual = quadsOfUsualProof(input.proof, context, input.suite.context)
  const [hash, proofHash] = await Promise.all([
    input.hash(unsigned),
    usual === undefined ? input.hash({ ...input.proof, '@context': context ?? [] }) : sha256(usual),
  ])
  return Buffer.concat([proofHash, hash])
}
