import { compactAddLength, compactFromU8a, compactToU8a } from '@polkadot/util'

/** Reads SCALE bytes from their beginning on. */
export class ScaleReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes)
  }

  u8(): number {
    return this.#take(1).readUInt8()
  }

  u32(): number {
    return this.#take(4).readUInt32LE()
  }

  /** Of a number that is small enough to be exact. */
  u128(): number {
    const bytes = this.#take(16)
    return Number(bytes.readBigUInt64LE() + (bytes.readBigUInt64LE(8) << 64n))
  }

  bytes(): Buffer {
    return this.#take(this.#length())
  }

  text(): string {
    return this.bytes().toString('utf8')
  }

  list<T>(element: () => T): T[] {
    return Array.from({ length: this.#length() }, element)
  }

  #length(): number {
    const [offset, length] = compactFromU8a(this.#bytes.subarray(this.#at))
    this.#at += offset
    return length.toNumber()
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new RangeError('the SCALE bytes end too early')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
}

export function scaleU32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}

export function scaleText(text: string): Buffer {
  return Buffer.from(compactAddLength(Buffer.from(text)))
}

export function scaleList(elements: readonly Uint8Array[]): Buffer {
  return Buffer.concat([compactToU8a(elements.length), ...elements])
}
