import type { Hex, StoredBlock } from '../store/store.js'

/** The characters of hexadecimal that are kept. */
const CACHED_LENGTH = 16_000_000

/** The blocks that were read last: a client that reads a chain from its start asks for each several times. */
export class BlockCache {
  readonly #byHash = new Map<Hex, StoredBlock>()
  readonly #byNumber = new Map<number, StoredBlock>()
  #length = 0

  of(hash: Hex): StoredBlock | undefined {
    return this.#byHash.get(hash)
  }

  at(number: number): StoredBlock | undefined {
    return this.#byNumber.get(number)
  }

  add(block: StoredBlock): void {
    if (this.#byHash.has(block.hash)) return
    this.#byHash.set(block.hash, block)
    this.#byNumber.set(block.number, block)
    this.#length += lengthOf(block)
    for (const oldest of this.#byHash.values()) {
      if (this.#length <= CACHED_LENGTH) return
      this.#byHash.delete(oldest.hash)
      this.#byNumber.delete(oldest.number)
      this.#length -= lengthOf(oldest)
    }
  }
}

function lengthOf(block: StoredBlock): number {
  return block.extrinsics.reduce((length, extrinsic) => length + extrinsic.length, block.header.length)
}
