import { bytesOf, type Hex } from '../store/store.js'
import type { Beneath } from './overlay.js'
import { positionAfter } from './sorted-keys.js'

/** The state that a runtime call reads. Its writes come back as changes. */
export interface StateView {
  /** Reads from memory: null stands for what is known to be absent, undefined for what has to be asked for. */
  known(key: Hex): Hex | null | undefined
  values(keys: readonly Hex[]): Promise<(Hex | undefined)[]>
  /** Lists at most `count` present keys, in order, after `after`. */
  keys(after: Hex, count: number): Promise<Hex[]>
}

/** Keys of one map share as many bytes: the hashes of the pallet's and the item's name. */
const MAP_PREFIX_CHARACTERS = 2 + 2 * 32
/** Most maps that are walked are small; a walk that goes on is given as many keys again as there are. */
const FIRST_PAGE = 64

/** The keys after `after`, as far as they were asked for. Each walk over a map has pages of its own. */
interface Page {
  readonly after: Hex
  readonly keys: readonly Hex[]
  readonly isLast: boolean
}

/**
 * The state as one run reads it. The runtime cannot wait, so what is not in memory is taken to be absent, and noted;
 * when the run has ended it is asked for in one go. Where something was there after all, the run is worth nothing and
 * has to be repeated. Most of what is not known is what is about to be made, and indeed absent.
 */
export class Reading implements Beneath {
  readonly #state: StateView
  readonly #values = new Map<Hex, Uint8Array | undefined>()
  readonly #pages = new Map<Hex, Page>()
  readonly #supposed = new Set<Hex>()
  /** The keys after which the next one is wanted, by their maps. */
  readonly #wanted = new Map<Hex, Hex>()

  constructor(state: StateView) {
    this.#state = state
  }

  get(key: Hex): Uint8Array | undefined {
    if (this.#values.has(key)) return this.#values.get(key)
    const known = this.#state.known(key)
    if (known === undefined) this.#supposed.add(key)
    const value = known ? bytesOf(known) : undefined
    this.#values.set(key, value)
    return value
  }

  nextKey(after: Hex): Hex | undefined {
    const prefix = mapOf(after)
    const page = this.#pages.get(prefix)
    const isInside = page !== undefined && after >= page.after
    const next = isInside ? page.keys[positionAfter(page.keys, after)] : undefined
    if (next === undefined && !(isInside && page.isLast)) {
      const wanted = this.#wanted.get(prefix)
      if (wanted === undefined || after < wanted) this.#wanted.set(prefix, after)
    }
    return next
  }

  /** Asks for what was not known. True when the run saw everything as it is. */
  async settle(): Promise<boolean> {
    const [supposed, wanted] = [[...this.#supposed], [...this.#wanted]]
    this.#supposed.clear()
    this.#wanted.clear()
    const [values, found] = await Promise.all([
      supposed.length > 0 ? this.#state.values(supposed) : [],
      Promise.all(wanted.map(([prefix, after]) => this.#extend(prefix, after))),
    ])
    for (const [position, key] of supposed.entries()) {
      const value = values[position]
      if (value !== undefined) this.#values.set(key, bytesOf(value))
    }
    return values.every((value) => value === undefined) && found.every((keys) => keys === 0)
  }

  /** Has the page begin at `after`, or go on behind its end. Returns how many keys that brought. */
  async #extend(prefix: Hex, after: Hex): Promise<number> {
    const page = this.#pages.get(prefix) ?? { after, keys: [], isLast: false }
    const goesOn = after >= page.after
    const known = goesOn ? page.keys : []
    const count = Math.max(FIRST_PAGE, page.keys.length)
    const keys = await this.#state.keys(known.at(-1) ?? after, count)
    this.#pages.set(prefix, {
      after: goesOn ? page.after : after,
      keys: [...known, ...keys],
      isLast: keys.length < count,
    })
    return keys.length
  }
}

function mapOf(key: Hex): Hex {
  return `0x${key.slice(2, MAP_PREFIX_CHARACTERS)}`
}
