/** A connection, which holds a place. */
interface Closable {
  destroy(): void
}

export interface PlaceBounds {
  /**
   * The places for connections that have not asked anything yet. They are more than the system hands over at once, so
   * that each has time to ask.
   */
  readonly arriving: number
  readonly perAddress: number
  readonly all: number
}

export const USUAL_PLACES: PlaceBounds = { arriving: 2_048, perAddress: 32, all: 256 }

/** A connection that has asked something. */
export class Place {
  isAtWork = false

  constructor(
    readonly network: string,
    readonly close: () => void,
  ) {}
}

/**
 * Decides which connections may stay. A newcomer takes the place of the connection that rested longest: of its own
 * address where that has its share, of the address with the most connections where all places are taken, or of the next
 * one where all of that are at work. The product's own processes need no place.
 */
export class Places {
  readonly #bounds: PlaceBounds
  readonly #arriving = new Set<Closable>()
  /** The places by address, in the order in which their connections began to rest. */
  readonly #placed = new Map<string, Set<Place>>()
  #count = 0

  constructor(bounds: PlaceBounds) {
    this.#bounds = bounds
  }

  /** Records a new connection, whose owner is not known yet; ends the oldest one where there are too many. */
  arrive(connection: Closable): void {
    this.#arriving.add(connection)
    if (this.#arriving.size <= this.#bounds.arriving) return
    const [oldest] = this.#arriving
    if (oldest === undefined) return
    this.#arriving.delete(oldest)
    oldest.destroy()
  }

  /** Forgets a connection that has asked, or is gone. */
  depart(connection: Closable): void {
    this.#arriving.delete(connection)
  }

  /** @returns undefined where all places of its address, or all that there are, are at work */
  enter(network: string, close: () => void): Place | undefined {
    const isFullHere = (this.#placed.get(network)?.size ?? 0) >= this.#bounds.perAddress
    if (isFullHere && !this.#makeRoom(network)) return undefined
    if (this.#count >= this.#bounds.all && !this.#makeRoomAnywhere()) return undefined
    const place = new Place(network, close)
    const others = this.#placed.get(network) ?? new Set()
    this.#placed.set(network, others.add(place))
    this.#count++
    return place
  }

  rest(place: Place): void {
    place.isAtWork = false
    const others = this.#placed.get(place.network)
    if (others?.delete(place)) others.add(place)
  }

  leave(place: Place): void {
    const others = this.#placed.get(place.network)
    if (!others?.delete(place)) return
    this.#count--
    if (others.size === 0) this.#placed.delete(place.network)
  }

  #makeRoom(network: string): boolean {
    const longest = [...(this.#placed.get(network) ?? [])].find(({ isAtWork }) => !isAtWork)
    if (longest === undefined) return false
    this.leave(longest)
    longest.close()
    return true
  }

  #makeRoomAnywhere(): boolean {
    const byConnections = [...this.#placed].sort(([, some], [, others]) => others.size - some.size)
    return byConnections.some(([network]) => this.#makeRoom(network))
  }
}
