import { verifyEd25519 } from '../../keys/verify-key.js'
import { DATA_INTEGRITY_V2 } from '../contexts/known-contexts.js'
import { multibaseSignature } from './multibase-signature.js'
import { rdfHash } from './rdf-hash.js'
import type { IssuingSuite } from './signature-suite.js'

/** The type of all proofs that name a cryptosuite. https://www.w3.org/TR/vc-data-integrity/ */
export const DATA_INTEGRITY_PROOF = 'DataIntegrityProof'

const cryptosuite = 'eddsa-rdfc-2022'

/** A signature over the canonical RDF of the document. https://www.w3.org/TR/vc-di-eddsa/#eddsa-rdfc-2022 */
export const eddsaRdfc2022: IssuingSuite = {
  ...multibaseSignature,
  algorithm: { name: cryptosuite, keyKind: 'Ed25519', primitive: 'sign' },
  keyKind: 'Ed25519',
  proofType: DATA_INTEGRITY_PROOF,
  cryptosuite,
  isTimeOptional: true,
  contexts: { '1.1': [DATA_INTEGRITY_V2], '2.0': [] },
  proofFor: (_document, options) => ({ type: DATA_INTEGRITY_PROOF, cryptosuite, ...options }),
  hash: rdfHash,
  verify: verifyEd25519,
}
