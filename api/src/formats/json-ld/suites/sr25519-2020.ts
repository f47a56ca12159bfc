import { verifySr25519 } from '../../keys/verify-sr25519.js'
import { SECURITY_V2 } from '../contexts/known-contexts.js'
import { multibaseSignature } from './multibase-signature.js'
import type { SignatureSuite } from './signature-suite.js'

/**
 * Sr25519Signature2020, which nothing here issues and no context of the standard defines. The software that made such
 * proofs hashed their options under the security vocabulary, in which the type has no meaning: it is not signed, and
 * only says of which kind the key is.
 */
export const sr25519Of2020: SignatureSuite = {
  ...multibaseSignature,
  keyKind: 'Sr25519',
  proofType: 'Sr25519Signature2020',
  isDeprecated: true,
  async hash({ document, proof: { type: _, ...options } }, hashOf) {
    const [hash, proofHash] = await Promise.all([hashOf(document), hashOf({ ...options, '@context': SECURITY_V2 })])
    return Buffer.concat([proofHash, hash])
  },
  verify: verifySr25519,
}
