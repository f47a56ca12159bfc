import { decodeBase58, encodeBase58 } from '@accredit/chain'
import type { JsonObject } from '../../json.js'
import type { IssuingSuite } from './signature-suite.js'

/** A signature of 64 bytes over the hash, as `proofValue` in multibase (base58btc). */
export const multibaseSignature = {
  toSign: (hash) => hash,
  withSignature: (proof, signature) => ({ ...proof, proofValue: `z${encodeBase58(signature)}` }),
  signatureOf(proof, hash) {
    const { proofValue } = proof
    if (typeof proofValue !== 'string') return 'the proof has no proofValue'
    if (!proofValue.startsWith('z') || proofValue.length > 100) return 'proofValue is not multibase base58btc'
    const signature = decodeBase58(proofValue.slice(1))
    return signature?.length === 64 ? { signature, signed: hash } : 'proofValue is not a signature of 64 bytes'
  },
  withoutSignature: ({ proofValue: _, ...proof }: JsonObject) => proof,
} satisfies Pick<IssuingSuite, 'toSign' | 'withSignature' | 'signatureOf' | 'withoutSignature'>
