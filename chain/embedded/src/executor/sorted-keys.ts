import type { Hex } from '../store/store.js'

/** Keys in order, each once. */
export class SortedKeys {
  readonly #keys: Hex[] = []
  readonly #present = new Set<Hex>()

  add(key: Hex): void {
    if (this.#present.has(key)) return
    this.#present.add(key)
    this.#keys.splice(positionAfter(this.#keys, key), 0, key)
  }

  /** Returns the keys after this one. */
  *after(key: Hex): Generator<Hex> {
    for (let at = positionAfter(this.#keys, key); at < this.#keys.length; at += 1) {
      const next = this.#keys[at]
      if (next !== undefined) yield next
    }
  }
}

/** Finds the position of the first greater one among sorted keys. */
export function positionAfter(keys: readonly Hex[], key: Hex): number {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] ?? '') > key) high = middle
    else low = middle + 1
  }
  return low
}
