import type { Hex } from '../store/store.js'

/** The size of an entry beside its characters: the objects of two texts, and a place in a map. */
export const ENTRY_LENGTH = 100

/** Bytes by name, of a bounded total length: the one unused for longest goes first. Null stands for an absent value. */
export class RecentlyUsed {
  readonly #most: number
  readonly #values = new Map<string, Hex | null>()
  #length = 0

  /** `most` counts the characters of names and values, and `ENTRY_LENGTH` for each entry. */
  constructor(most: number) {
    this.#most = most
  }

  get(name: string): Hex | null | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    this.#values.delete(name)
    this.#values.set(name, value)
    return value
  }

  set(name: string, value: Hex | null): void {
    this.#remove(name)
    this.#values.set(name, value)
    this.#length += lengthOf(name, value)
    for (const oldest of this.#values.keys()) {
      if (this.#length <= this.#most) return
      this.#remove(oldest)
    }
  }

  #remove(name: string): void {
    const value = this.#values.get(name)
    if (value === undefined) return
    this.#values.delete(name)
    this.#length -= lengthOf(name, value)
  }
}

function lengthOf(name: string, value: Hex | null): number {
  return ENTRY_LENGTH + name.length + (value?.length ?? 0)
}
