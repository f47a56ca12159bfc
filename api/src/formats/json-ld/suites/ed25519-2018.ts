import { verifyEd25519 } from '../../keys/verify-key.js'
import { detachedJws } from './detached-jws.js'
import { rdfHash } from './rdf-hash.js'
import type { IssuingSuite } from './signature-suite.js'

/** Ed25519Signature2018. Only data model 1.1 defines it. https://w3c-ccg.github.io/lds-ed25519-2018/ */
export const ed25519Of2018: IssuingSuite = {
  ...detachedJws('EdDSA'),
  algorithm: { name: 'ed25519-2018', keyKind: 'Ed25519', primitive: 'sign' },
  keyKind: 'Ed25519',
  proofType: 'Ed25519Signature2018',
  contexts: { '1.1': [] },
  proofFor: (_document, options) => ({ type: 'Ed25519Signature2018', ...options }),
  hash: rdfHash,
  verify: verifyEd25519,
}
