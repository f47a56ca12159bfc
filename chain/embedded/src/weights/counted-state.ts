import type { Beneath, Overlay } from '../executor/overlay.js'
import { positionAfter } from '../executor/sorted-keys.js'
import { bytesOf, type Hex } from '../store/store.js'

/**
 * A state in memory that counts the entries that are read from it and written to it: each once, however often that
 * happens, since a node keeps read entries in memory. A key that a walk over a map meets is read too.
 */
export class CountedState implements Beneath {
  readonly #values = new Map<Hex, Uint8Array>()
  readonly #read = new Set<Hex>()
  readonly #written = new Set<Hex>()
  /** Keys that every block reads and writes anyway. */
  #free: ReadonlySet<Hex> = new Set()
  #sorted: readonly Hex[] | undefined

  get reads(): number {
    return this.#read.size
  }

  get writes(): number {
    return this.#written.size
  }

  get(key: Hex): Uint8Array | undefined {
    this.#count(this.#read, key)
    return this.#values.get(key)
  }

  nextKey(after: Hex): Hex | undefined {
    this.#sorted ??= [...this.#values.keys()].sort()
    const next = this.#sorted[positionAfter(this.#sorted, after)]
    if (next !== undefined) this.#count(this.#read, next)
    return next
  }

  take(overlay: Overlay): void {
    for (const [key, value] of overlay.changes()) {
      this.#count(this.#written, key)
      if (value === null) this.#values.delete(key)
      else this.#values.set(key, bytesOf(value))
    }
    this.#sorted = undefined
  }

  doNotCount(keys: Iterable<Hex>): void {
    this.#free = new Set(keys)
  }

  beginToCount(): void {
    this.#read.clear()
    this.#written.clear()
  }

  #count(counted: Set<Hex>, key: Hex): void {
    if (!this.#free.has(key)) counted.add(key)
  }
}
