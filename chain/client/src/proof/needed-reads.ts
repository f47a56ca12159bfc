import type { LedgerState } from './answer.js'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import type { Question } from './question.js'
import { ProofRefusal } from './refusal.js'
import { readAnswer } from './verify-proof.js'

/** The part of a block's state that was read already. */
export interface KnownState {
  /** Values by key; null where there is none. */
  readonly values: ReadonlyMap<Hex, Hex | null>
  /** All keys that begin with some bytes, by these. */
  readonly keysUnder: ReadonlyMap<Hex, readonly Hex[]>
}

/** The reads that are not known yet. */
export interface NeededReads {
  readonly keys: readonly Hex[]
  readonly prefixes: readonly Hex[]
}

/**
 * Returns what has to be read next from a block's state to answer a question; nothing once all is known. It is asked
 * again with what was read, since which entries count depends on others, and may name some that turn out not to count.
 */
export function neededReads(question: Question, genesisHash: Hex, known: KnownState): NeededReads {
  const keys = new Set<Hex>()
  const prefixes = new Set<Hex>()
  const state: LedgerState = {
    value(key) {
      const value = known.values.get(hexOf(key))
      if (value === undefined) keys.add(hexOf(key))
      return value ? bytesOf(value) : undefined
    },
    keysUnder(prefix) {
      const found = known.keysUnder.get(hexOf(prefix))
      if (found === undefined) prefixes.add(hexOf(prefix))
      return (found ?? []).map(bytesOf)
    },
  }
  try {
    readAnswer(question, genesisHash, state)
  } catch (error) {
    // A value that is not known yet looks as if it were absent.
    if (!(error instanceof ProofRefusal) || keys.size === 0) throw error
  }
  return { keys: [...keys], prefixes: [...prefixes] }
}
