export interface PoolBounds {
  readonly bytes: number
  readonly extrinsics: number
}

const MIB = 1024 * 1024

/** The product's own share, which is as much as a Substrate node's pool holds. */
const OWN: PoolBounds = { bytes: 20 * MIB, extrinsics: 10_000 }
/** The share of all strangers, and that of those of one address. */
const STRANGERS: PoolBounds = { bytes: 10 * MIB, extrinsics: 5_000 }
const ADDRESS: PoolBounds = { bytes: 5 * MIB, extrinsics: 1_000 }

export interface PoolShares {
  readonly own: PoolBounds
  readonly strangers: PoolBounds
  readonly address: PoolBounds
}

export const USUAL_SHARES: PoolShares = { own: OWN, strangers: STRANGERS, address: ADDRESS }

interface Brought {
  readonly bytes: number
  /** The address that it came from; undefined: a process of the product brought it. */
  readonly from: string | undefined
}

/**
 * Bounds the memory of extrinsics that are in no block yet, by their sender's address. The last one may go beyond the
 * bytes.
 */
export class PoolRoom {
  readonly #shares: PoolShares
  readonly #own = new Taken()
  readonly #strangers = new Taken()
  readonly #addresses = new Map<string, Taken>()

  constructor(shares: PoolShares) {
    this.#shares = shares
  }

  hasRoomFor(from: string | undefined): boolean {
    const { own, strangers, address } = this.#shares
    if (from === undefined) return this.#own.isBelow(own)
    return this.#strangers.isBelow(strangers) && (this.#addresses.get(from)?.isBelow(address) ?? true)
  }

  take({ bytes, from }: Brought): void {
    for (const taken of this.#takenBy(from)) taken.add(bytes, 1)
  }

  giveBack({ bytes, from }: Brought): void {
    for (const taken of this.#takenBy(from)) taken.add(-bytes, -1)
    if (from !== undefined && this.#addresses.get(from)?.extrinsics === 0) this.#addresses.delete(from)
  }

  #takenBy(from: string | undefined): Taken[] {
    if (from === undefined) return [this.#own]
    const ofAddress = this.#addresses.get(from) ?? new Taken()
    this.#addresses.set(from, ofAddress)
    return [this.#strangers, ofAddress]
  }
}

class Taken {
  bytes = 0
  extrinsics = 0

  add(bytes: number, extrinsics: number): void {
    this.bytes += bytes
    this.extrinsics += extrinsics
  }

  isBelow(bounds: PoolBounds): boolean {
    return this.bytes < bounds.bytes && this.extrinsics < bounds.extrinsics
  }
}
