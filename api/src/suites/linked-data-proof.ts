import { createHash } from 'node:crypto'
import { canonize } from './canonize.js'
import type { ExtraContexts } from './document-loader.js'
import { asArray, isObject, type JsonObject } from './json.js'
import { quadsOfUsualProof } from './proof-quads.js'
import type { ProofOptions, SignatureSuite } from './suite.js'
import { SuiteError } from './suite-error.js'
import { verifyEd25519 } from './verify-key.js'

/** Signs bytes with the issuer's key, wherever that is. */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>

export interface ProofRequest<T extends JsonObject = JsonObject> {
  /** With its final `@context`; it must hold that of the suite. */
  document: T
  suite: SignatureSuite
  options: ProofOptions
  contexts: ExtraContexts
  sign: Sign
}

/** The document with its proof as last member. @throws SuiteError */
export async function addProof<T extends JsonObject>(request: ProofRequest<T>): Promise<T & { proof: JsonObject }> {
  const { document, suite, options, contexts, sign } = request
  const proof: JsonObject = { type: suite.proofType, ...options }
  const hash = await hashOf({ document, proof, suite, contexts })
  const signature = await sign(suite.toSign(hash))
  return { ...document, proof: suite.withSignature(proof, signature) }
}

export interface ProofCheck {
  document: JsonObject
  /** The proof to check; the document's others are not looked at. */
  proof: JsonObject
  suite: SignatureSuite
  publicKey: Uint8Array
  contexts: ExtraContexts
}

/**
 * Whether the key made this proof over this document.
 * @throws SuiteError when the document cannot be read as JSON-LD
 */
export async function checkProof(check: ProofCheck): Promise<{ verified: boolean; reason?: string }> {
  const { document, proof, suite, publicKey, contexts } = check
  const hash = await hashOf({ document, proof: suite.withoutSignature(proof), suite, contexts })
  const found = suite.signatureOf(proof, hash)
  if (typeof found === 'string') return { verified: false, reason: found }
  const verified = await verifyEd25519(publicKey, found.signed, found.signature)
  return verified ? { verified } : { verified, reason: 'the signature does not fit the document' }
}

/** A document's proofs, in order. */
export const proofsOf = (document: JsonObject): JsonObject[] => asArray(document.proof).filter(isObject)

async function hashOf(input: {
  document: JsonObject
  proof: JsonObject
  suite: SignatureSuite
  contexts: ExtraContexts
}): Promise<Uint8Array> {
  const { proof: _, ...unsigned } = input.document
  if ('@context' in input.proof) throw new SuiteError('malformed', 'the proof has a @context of its own')
  const context = unsigned['@context']
  const usual = quadsOfUsualProof(input.proof, context, input.suite.context)
  const [quads, proofQuads] = await Promise.all([
    canonize(unsigned, input.contexts),
    usual ?? canonize({ ...input.proof, '@context': context ?? [] }, input.contexts),
  ])
  return Buffer.concat([sha256(proofQuads), sha256(quads)])
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
