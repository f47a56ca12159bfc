import { expect } from 'vitest'
import type { Hex } from '../bytes.js'
import { ProofRefusal, type RefusalReason } from '../refusal.js'
import { type ProofOptions, verifyProof } from '../verify-proof.js'

/** Returns why a bundle is refused; a text is given to the verifier as it is. */
export function refusalOf(bundle: unknown, genesisHash: Hex, options: ProofOptions = {}): ProofRefusal {
  try {
    verifyProof(typeof bundle === 'string' ? bundle : JSON.stringify(bundle), genesisHash, options)
  } catch (error) {
    if (error instanceof ProofRefusal) return error
    throw error
  }
  throw new Error('the bundle was not refused')
}

/** Expects a reason, and a message that is a sentence. */
export function expectRefusal(refusal: ProofRefusal, reason: RefusalReason, message: string | RegExp): void {
  expect(refusal.message).toMatch(message)
  expect(refusal.reason).toBe(reason)
  expect(refusal.message).toMatch(/^[A-Z`].*\.$/)
}
