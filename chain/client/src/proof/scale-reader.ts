import { ProofRefusal, type RefusalReason } from './refusal.js'

/** Counts and numbers of blocks stay below it. */
const MOST = 0xffff_ffffn

/**
 * Reads SCALE from front to back. It refuses bytes that end too early, and integers that are not in their shortest form:
 * there is one encoding of each value.
 */
export class ScaleReader {
  #at = 0

  /** The name of what is read stands in refusals, with their reason. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly name: string,
    private readonly reason: RefusalReason = 'malformed',
  ) {}

  take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.bytes.length) throw this.refusal('ends too early')
    const taken = this.bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  u8(): number {
    return this.take(1)[0] ?? 0
  }

  bool(): boolean {
    const byte = this.u8()
    if (byte > 1) throw this.refusal('holds a truth value other than 0 and 1')
    return byte === 1
  }

  u32(): number {
    return Number(this.unsigned(4))
  }

  /** Reads an unsigned integer of so many bytes, the lowest first. */
  unsigned(length: number): bigint {
    return this.take(length).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
  }

  /** Reads a compact integer of at most 32 bits. */
  compact(): number {
    const mode = (this.bytes[this.#at] ?? 0) & 3
    const length = mode === 3 ? (this.u8() >> 2) + 4 : 1 << mode
    const value = mode === 3 ? this.unsigned(length) : this.unsigned(length) >> 2n
    const least = [0n, 1n << 6n, 1n << 14n, 1n << 30n][mode] ?? 0n
    if (value < least || value > MOST)
      throw this.refusal('holds an integer that is too large, or not in its shortest form')
    return Number(value)
  }

  /** Reads bytes behind their count. */
  counted(): Uint8Array {
    return this.take(this.compact())
  }

  list<Item>(read: (reader: this) => Item): Item[] {
    const items: Item[] = []
    for (let left = this.compact(); left > 0; left -= 1) items.push(read(this))
    return items
  }

  /** Reads something, and returns the bytes that it came from too. */
  span<Value>(read: (reader: this) => Value): { value: Value; bytes: Uint8Array } {
    const begin = this.#at
    const value = read(this)
    return { value, bytes: this.bytes.subarray(begin, this.#at) }
  }

  /** Reads the number of an enum's variant. */
  variant<Name extends string>(names: readonly Name[]): Name {
    const name = names[this.u8()]
    if (name === undefined) throw this.refusal('holds a variant that is not known')
    return name
  }

  /** Refuses bytes behind the end. */
  end(): void {
    if (this.#at !== this.bytes.length) throw this.refusal('has bytes behind its end')
  }

  refusal(what: string): ProofRefusal {
    return new ProofRefusal(this.reason, `${this.name} ${what}.`)
  }
}

/** Reads the whole of some bytes. */
export function readAll<Value>(
  bytes: Uint8Array,
  name: string,
  read: (reader: ScaleReader) => Value,
  reason?: RefusalReason,
): Value {
  const reader = new ScaleReader(bytes, name, reason)
  const value = read(reader)
  reader.end()
  return value
}
