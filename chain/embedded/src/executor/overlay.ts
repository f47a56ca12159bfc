import { blake2AsU8a } from '@polkadot/util-crypto'
import { type Hex, hexOf, type StateChanges } from '../store/store.js'
import { EncodedList } from './encoded-list.js'
import { SortedKeys } from './sorted-keys.js'

/** The state that a run begins with. */
export interface Beneath {
  get(key: Hex): Uint8Array | undefined
  /**
   * The first key after this one.
   *
   * @param within the beginning of those keys that the caller looks for: any other one, and none, are alike to it
   */
  nextKey(after: Hex, within?: Hex): Hex | undefined
}

type Value = Uint8Array | EncodedList | null
type Layer = Map<Hex, Value>

/**
 * Keeps the writes of a run over the state that it reads: transactions nest, and one that is rolled back leaves
 * nothing.
 */
export class Overlay {
  readonly #beneath: Beneath
  readonly #layers: Layer[] = [new Map()]
  /** The keys that were ever written in this run, rolled back or not. */
  readonly #written = new SortedKeys()

  constructor(beneath: Beneath) {
    this.#beneath = beneath
  }

  get depth(): number {
    return this.#layers.length - 1
  }

  get(key: Hex): Uint8Array | undefined {
    const own = this.#own(key)
    return own === undefined ? this.#beneath.get(key) : (bytesOf(own) ?? undefined)
  }

  set(key: Hex, value: Uint8Array | null): void {
    this.#write(key, value)
  }

  /** Appends one element to the encoded list that the entry is. */
  append(key: Hex, element: Uint8Array): void {
    const own = this.#own(key)
    const list = own instanceof EncodedList ? own : EncodedList.of(this.get(key))
    this.#write(key, list.with(element))
  }

  nextKey(after: Hex): Hex | undefined {
    let next = this.#beneath.nextKey(after)
    while (next !== undefined && this.#own(next) === null) next = this.#beneath.nextKey(next)
    for (const key of this.#written.after(after)) {
      if (next !== undefined && key >= next) break
      if (this.#own(key)) return key
    }
    return next
  }

  /**
   * Removes the entries whose keys begin so, at most `limit` of those beneath. Returns how many of those went, and
   * whether any is left.
   */
  clear(prefix: Hex, limit: number): { removed: number; isLeft: boolean } {
    for (const layer of this.#layers) {
      for (const key of layer.keys()) if (key.startsWith(prefix)) this.set(key, null)
    }
    let removed = 0
    let next = this.#beneath.get(prefix) ? prefix : this.#beneath.nextKey(prefix, prefix)
    for (; next?.startsWith(prefix); next = this.#beneath.nextKey(next, prefix)) {
      if (removed === limit) return { removed, isLeft: true }
      this.set(next, null)
      removed += 1
    }
    return { removed, isLeft: false }
  }

  begin(): void {
    this.#layers.push(new Map())
  }

  rollBack(): void {
    this.#pop()
  }

  commit(): void {
    for (const [key, value] of this.#pop()) this.#write(key, value)
  }

  changes(): StateChanges {
    const changes = new Map<Hex, Hex | null>()
    for (const layer of this.#layers) {
      for (const [key, value] of layer) {
        const bytes = bytesOf(value)
        changes.set(key, bytes && hexOf(bytes))
      }
    }
    return changes
  }

  /**
   * A hash of the block's changes, which stands in a header in place of the root of all state. With the parent's hash
   * beside it, it binds the whole state; it proves single entries to nobody.
   */
  digest(): Uint8Array {
    const lines = [...this.changes()].map(([key, value]) => `${key} ${value ?? ''}`)
    return blake2AsU8a(lines.sort().join('\n'), 256)
  }

  #write(key: Hex, value: Value): void {
    this.#layers.at(-1)?.set(key, value)
    this.#written.add(key)
  }

  #pop(): Layer {
    const layer = this.#layers.length > 1 ? this.#layers.pop() : undefined
    if (layer === undefined) throw new RangeError('the runtime ended a transaction that it had not begun')
    return layer
  }

  #own(key: Hex): Value | undefined {
    for (let depth = this.#layers.length - 1; depth >= 0; depth -= 1) {
      const value = this.#layers[depth]?.get(key)
      if (value !== undefined) return value
    }
    return undefined
  }
}

const bytesOf = (value: Value): Uint8Array | null => (value instanceof EncodedList ? value.encoded() : value)
