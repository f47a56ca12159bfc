import { isDeepStrictEqual } from 'node:util'
import canonicalize from 'canonicalize'
import { FormatError } from '../../format-error.js'
import { asArray, type Json, type JsonObject } from '../../json.js'
import { sha256 } from '../canonical/canonize.js'
import { KNOWN_CONTEXTS } from '../contexts/known-contexts.js'
import { DATA_INTEGRITY_PROOF, eddsaSuite } from './data-integrity.js'
import type { IssuingSuite, Unsigned } from './signature-suite.js'

const cryptosuite = 'eddsa-jcs-2022'

/**
 * A signature over the document as it is written, in the canonical form of JSON (RFC 8785). Every member of it is signed
 * by its own name, so that no context is read, and none has to be had. https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 */
export const eddsaJcs2022: IssuingSuite = {
  ...eddsaSuite(cryptosuite),
  proofFor: (document, options) => ({
    type: DATA_INTEGRITY_PROOF,
    cryptosuite,
    ...options,
    ...(document['@context'] !== undefined && { '@context': document['@context'] }),
  }),
  hash: async ({ document, proof }) =>
    Buffer.concat([jsonHash(proof), jsonHash({ ...document, ...signedContext({ document, proof }) })]),
}

const jsonHash = (value: JsonObject): Buffer => sha256(canonicalize(value) ?? '')

/**
 * The `@context` that was signed: that of the proof, where it has one. The document may have more behind it, such as
 * those of later proofs, which are signed nowhere: only contexts that ship with the service, since these call nothing
 * otherwise than it is called.
 */
function signedContext({ document, proof }: Unsigned): JsonObject {
  const { '@context': signed } = proof
  if (signed === undefined) return {}
  const [ofProof, ofDocument] = [asArray(signed), asArray(document['@context'])]
  const more = ofDocument.slice(ofProof.length)
  if (ofProof.length === 0 || !isDeepStrictEqual(ofDocument.slice(0, ofProof.length), ofProof))
    throw new FormatError('malformed', 'its @context does not begin with that of the proof')
  if (!more.every(isKnown))
    throw new FormatError('malformed', 'a context behind those of the proof is not signed, and does not ship with us')
  return { '@context': signed }
}

const isKnown = (context: Json): boolean => typeof context === 'string' && KNOWN_CONTEXTS.has(context)
