import { verifyEd25519 } from '../../keys/verify-key.js'
import { DATA_INTEGRITY_V2 } from '../contexts/known-contexts.js'
import { multibaseSignature } from './multibase-signature.js'
import type { IssuingSuite } from './signature-suite.js'

/** The type of all proofs that name a cryptosuite. https://www.w3.org/TR/vc-data-integrity/ */
export const DATA_INTEGRITY_PROOF = 'DataIntegrityProof'

/** Returns the members that the cryptosuites of EdDSA have in common. https://www.w3.org/TR/vc-di-eddsa/ */
export const eddsaSuite = (cryptosuite: string) =>
  ({
    ...multibaseSignature,
    algorithm: { name: cryptosuite, keyKind: 'Ed25519', primitive: 'sign' },
    keyKind: 'Ed25519',
    proofType: DATA_INTEGRITY_PROOF,
    cryptosuite,
    isTimeOptional: true,
    contexts: { '1.1': [DATA_INTEGRITY_V2], '2.0': [] },
    verify: verifyEd25519,
  }) satisfies Partial<IssuingSuite>
