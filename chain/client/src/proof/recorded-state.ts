import type { LedgerState } from './answer.js'
import type { StorageEntry } from './bundle.js'
import { type Hex, hexOf } from './bytes.js'

/** Lists everything that is read from a state, each once, in the order in which it was asked for first. */
export class RecordedState implements LedgerState {
  readonly #entries = new Map<Hex, StorageEntry>()

  constructor(private readonly state: LedgerState) {}

  value(key: Uint8Array): Uint8Array | undefined {
    const value = this.state.value(key)
    const name = hexOf(key)
    if (!this.#entries.has(name)) this.#entries.set(name, { key: name, value: value ? hexOf(value) : null })
    return value
  }

  keysUnder(prefix: Uint8Array): readonly Uint8Array[] {
    const keys = this.state.keysUnder(prefix)
    const name = hexOf(prefix)
    if (!this.#entries.has(name)) this.#entries.set(name, { prefix: name, keys: keys.map(hexOf) })
    return keys
  }

  entries(): StorageEntry[] {
    return [...this.#entries.values()]
  }
}
