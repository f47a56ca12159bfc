import { verifyEd25519 } from '../../keys/verify-key.js'
import { ED25519_2020 } from '../contexts/known-contexts.js'
import { multibaseSignature } from './multibase-signature.js'
import { rdfHash } from './rdf-hash.js'
import type { IssuingSuite } from './signature-suite.js'

/**
 * Ed25519Signature2020: `proofValue` is the multibase (base58btc) signature over the hash. A suite of linked data proofs
 * with a context of its own, so that documents of either data model can carry its proofs.
 * https://w3c-ccg.github.io/lds-ed25519-2020/
 */
export const ed25519Of2020: IssuingSuite = {
  ...multibaseSignature,
  algorithm: { name: 'ed25519', keyKind: 'Ed25519', primitive: 'sign' },
  keyKind: 'Ed25519',
  proofType: 'Ed25519Signature2020',
  contexts: { '1.1': [ED25519_2020], '2.0': [ED25519_2020] },
  proofFor: (_document, options) => ({ type: 'Ed25519Signature2020', ...options }),
  hash: rdfHash,
  verify: verifyEd25519,
}
