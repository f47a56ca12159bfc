import { DATA_INTEGRITY_PROOF, eddsaSuite } from './data-integrity.js'
import { rdfHash } from './rdf-hash.js'
import type { IssuingSuite } from './signature-suite.js'

const cryptosuite = 'eddsa-rdfc-2022'

/** A signature over the canonical RDF of the document. https://www.w3.org/TR/vc-di-eddsa/#eddsa-rdfc-2022 */
export const eddsaRdfc2022: IssuingSuite = {
  ...eddsaSuite(cryptosuite),
  proofFor: (_document, options) => ({ type: DATA_INTEGRITY_PROOF, cryptosuite, ...options }),
  hash: rdfHash,
}
