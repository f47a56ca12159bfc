import type { HashOf } from '../../credential-format.js'
import { FormatError } from '../../format-error.js'
import { sha256 } from '../canonical/canonize.js'
import { quadsOfUsualProof } from './proof-quads.js'
import type { Unsigned } from './signature-suite.js'

/** Hashes the canonical RDF of a document, and that of the proof under the contexts of the document. */
export async function rdfHash({ document, proof }: Unsigned, hashOf: HashOf): Promise<Uint8Array> {
  if ('@context' in proof) throw new FormatError('malformed', 'the proof has a @context of its own')
  const context = document['@context']
  const usual = quadsOfUsualProof(proof, context)
  const [hash, proofHash] = await Promise.all([
    hashOf(document),
    usual === undefined ? hashOf({ ...proof, '@context': context ?? [] }) : sha256(usual),
  ])
  return Buffer.concat([proofHash, hash])
}
