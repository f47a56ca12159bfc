import { didIn, type LedgerState, PALLETS } from './answer.js'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import { CHUNK_BITS } from './ledger-values.js'
import type { Question } from './question.js'
import { ProofRefusal } from './refusal.js'
import { GENESIS_HASH, layoutKey, storageKeys, TIMESTAMP_NOW } from './storage-keys.js'
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
  const keys = new Set(known.values.size === 0 ? firstKeys(question).map(hexOf) : [])
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

/** Returns the keys that an answer of this kind mostly reads: each one that is named at the beginning saves a round. */
function firstKeys(question: Question): Uint8Array[] {
  return [TIMESTAMP_NOW, GENESIS_HASH, ...PALLETS[question.kind].map(layoutKey), ...ownKeys(question)]
}

function ownKeys(question: Question): Uint8Array[] {
  switch (question.kind) {
    case 'authorization': {
      const [registry, schema] = [bytesOf(question.registryId), bytesOf(question.schemaId)]
      const { encoded, id } = didIn(question)
      return [
        storageKeys.registry(registry),
        storageKeys.schema(registry, schema),
        storageKeys.standing(registry, encoded),
        storageKeys.entry(registry, schema, encoded),
        ...(id ? [storageKeys.did(id)] : []),
      ]
    }
    case 'registry':
      return [storageKeys.registry(bytesOf(question.registryId))]
    case 'did':
    case 'key': {
      const { id } = didIn(question)
      const key = question.kind === 'key' && id ? [storageKeys.key(id, question.keyNumber)] : []
      return [...(id ? [storageKeys.did(id)] : []), ...key]
    }
    case 'status': {
      const id = bytesOf(question.registryId)
      return [storageKeys.revocationRegistry(id), storageKeys.chunk(id, Math.floor(question.index / CHUNK_BITS))]
    }
  }
}
