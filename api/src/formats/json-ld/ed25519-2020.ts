import { decodeBase58, encodeBase58 } from '@accredit/chain'
import { verifyEd25519 } from '../keys/verify-key.js'
import { ED25519_2020 } from './contexts/known-contexts.js'
import type { SignatureSuite } from './signature-suite.js'

/**
 * Ed25519Signature2020: `proofValue` is the multibase (base58btc) signature over the hash.
 * https://w3c-ccg.github.io/lds-ed25519-2020/
 */
export const ed25519Of2020: SignatureSuite = {
  algorithm: { name: 'ed25519', keyKind: 'Ed25519', primitive: 'sign' },
  proofType: 'Ed25519Signature2020',
  context: ED25519_2020,
  toSign: (hash) => hash,
  withSignature: (proof, signature) => ({ ...proof, proofValue: `z${encodeBase58(signature)}` }),
  signatureOf(proof, hash) {
    const { proofValue } = proof
    if (typeof proofValue !== 'string') return 'the proof has no proofValue'
    if (!proofValue.startsWith('z') || proofValue.length > 100) return 'proofValue is not multibase base58btc'
    const signature = decodeBase58(proofValue.slice(1))
    return signature?.length === 64 ? { signature, signed: hash } : 'proofValue is not a signature of 64 bytes'
  },
  withoutSignature({ proofValue: _, ...proof }) {
    return proof
  },
  verify: verifyEd25519,
}
