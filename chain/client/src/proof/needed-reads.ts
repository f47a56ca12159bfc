import { barredBy, didIn, keysIn, type LedgerState, listedDelegators, PALLETS } from './answer.js'
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
  /** The keys whose values the answer reads, as far as they can be told from what is known; without prefixes. */
  readonly answeredBy: readonly Hex[]
}

/**
 * Returns what has to be read next from a block's state to answer a question; nothing once all is known, which is so
 * after four rounds at most. It is asked again with what was read, since which entries count depends on others, and may
 * name some that turn out not to count.
 */
export function neededReads(question: Question, genesisHash: Hex, known: KnownState): NeededReads {
  const keys = new Set(known.values.size === 0 ? firstKeys(question).map(hexOf) : [])
  const prefixes = new Set<Hex>()
  const asked = new Set<Hex>()
  const state: LedgerState = {
    value(key) {
      const name = hexOf(key)
      const value = known.values.get(name)
      if (value === undefined) keys.add(name)
      asked.add(name)
      return value ? bytesOf(value) : undefined
    },
    keysUnder(prefix) {
      const name = hexOf(prefix)
      const found = known.keysUnder.get(name)
      if (found === undefined) prefixes.add(name)
      return (found ?? []).map(bytesOf)
    },
  }
  try {
    readAnswer(question, genesisHash, state)
  } catch (error) {
    // A value that is not known yet looks as if it were absent.
    if (!(error instanceof ProofRefusal) || keys.size === 0) throw error
  }
  const answeredBy = [...asked]
  if (keys.size > 0) readDelegators(question, known, state)
  return { keys: [...keys], prefixes: [...prefixes], answeredBy }
}

/**
 * Reads what bars each of the listed delegators. The answer itself stops at the first one that is not barred, as which
 * one counts whose values are not known: a hundred barred ones would take as many rounds.
 */
function readDelegators(question: Question, known: KnownState, state: LedgerState): void {
  if (question.kind !== 'authorization') return
  const keys = keysIn(question)
  if (!known.keysUnder.has(hexOf(keys.delegations))) return
  for (const issuer of listedDelegators(keys, state)) barredBy(issuer, keys, state)
}

/** Returns the keys that an answer of this kind mostly reads: each one that is named at the beginning saves a round. */
function firstKeys(question: Question): Uint8Array[] {
  return [TIMESTAMP_NOW, GENESIS_HASH, ...PALLETS[question.kind].map(layoutKey), ...ownKeys(question)]
}

function ownKeys(question: Question): Uint8Array[] {
  switch (question.kind) {
    case 'authorization': {
      const { registry, schema, standingOf, entryOf } = keysIn(question)
      const { encoded, id } = didIn(question)
      return [registry, schema, standingOf(encoded), entryOf(encoded), ...(id ? [storageKeys.did(id)] : [])]
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
