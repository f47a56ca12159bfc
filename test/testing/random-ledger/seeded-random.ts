import { type Hex32, hex32Of } from '@accredit/chain'

/** Draws choices that a seed decides: the same seed makes the same choices again (mulberry32). */
export class SeededRandom {
  private state: number

  constructor(readonly seed: number) {
    this.state = seed
  }

  /** Draws a whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000
  }

  /** Draws one of the items; undefined where there are none. */
  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)]
  }

  /** Draws from one up to `most` of the items, each once; none where there are none. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    const left = [...items]
    const chosen: Item[] = []
    for (let wanted = 1 + this.below(Math.min(most, items.length)); wanted > 0 && left.length > 0; wanted -= 1)
      chosen.push(...left.splice(this.below(left.length), 1))
    return chosen
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }

  hex32(): Hex32 {
    return hex32Of(this.bytes(32))
  }
}
