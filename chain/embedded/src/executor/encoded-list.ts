import { compactFromU8a, compactToU8a } from '@polkadot/util'

/**
 * An encoded list to which elements are appended. Lists that grew from one another share their bytes, so that an
 * element costs its own length: once one of them grew, what grew from it before must not be used any more.
 */
export class EncodedList {
  readonly #count: number
  /** The bytes of its elements, and room for more. */
  readonly #room: Uint8Array
  readonly #used: number

  private constructor(count: number, room: Uint8Array, used: number) {
    this.#count = count
    this.#room = room
    this.#used = used
  }

  static of(encoded: Uint8Array | undefined): EncodedList {
    if (encoded === undefined) return new EncodedList(0, new Uint8Array(), 0)
    const [offset, count] = lengthOf(encoded)
    const elements = encoded.slice(offset)
    return new EncodedList(count, elements, elements.length)
  }

  with(element: Uint8Array): EncodedList {
    const used = this.#used + element.length
    const room = used > this.#room.length ? this.#moved(2 * used) : this.#room
    room.set(element, this.#used)
    return new EncodedList(this.#count + 1, room, used)
  }

  /** Returns the list with the number of its elements in front. */
  encoded(): Uint8Array {
    return Buffer.concat([compactToU8a(this.#count), this.#room.subarray(0, this.#used)])
  }

  #moved(size: number): Uint8Array {
    const room = new Uint8Array(size)
    room.set(this.#room.subarray(0, this.#used))
    return room
  }
}

/** Reads the number in front of an encoded list: its own length, and the number of elements. */
export function lengthOf(encoded: Uint8Array): [offset: number, length: number] {
  const [offset, length] = compactFromU8a(encoded)
  return [offset, length.toNumber()]
}
