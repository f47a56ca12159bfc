import { bytesOf, type Hex } from '../store/store.js'
import type { Beneath } from './overlay.js'
import { positionAfter } from './sorted-keys.js'

/** The state that a runtime call reads. It collects the call's writes as changes. */
export interface StateView {
  /**
   * Reads from memory: null stands for an entry that is known to be absent, undefined for one that has to be fetched.
   */
  known(key: Hex): Hex | null | undefined
  values(keys: readonly Hex[]): Promise<(Hex | undefined)[]>
  /** Lists at most `count` present keys, in order, after `after`. */
  keys(after: Hex, count: number): Promise<Hex[]>
}

/** Keys of one map share as many bytes: the hashes of the pallet's and the item's name. */
const MAP_PREFIX_CHARACTERS = 2 + 2 * 32
/** Most maps that are walked are small; a walk that goes on gets as many keys again as there are. */
const FIRST_PAGE = 64

/** The keys after `after`, as far as they were fetched. Each walk over a map has pages of its own. */
interface Page {
  readonly after: Hex
  readonly keys: readonly Hex[]
  readonly isLast: boolean
}

/** A key that a walk asks for, of which no page tells yet. */
interface Step {
  readonly after: Hex
  /** The beginning of the keys that matter to the walk. */
  readonly within: Hex
}

const ALL_KEYS = '0x'

/**
 * The state as one run reads it. The runtime cannot wait, so an entry that is not in memory counts as absent, and is
 * noted; all of these are fetched at once when the run has ended. Where an entry exists after all, the run is void and
 * has to be repeated. Most of these entries are about to be created, and indeed absent. So is, in every block, a map
 * that the runtime clears at its beginning: what lies behind it matters to nobody.
 */
export class Reading implements Beneath {
  readonly #state: StateView
  readonly #values = new Map<Hex, Uint8Array | undefined>()
  readonly #pages = new Map<Hex, Page>()
  readonly #supposed = new Set<Hex>()
  /** The first steps that no page tells of, by their maps. */
  readonly #wanted = new Map<Hex, Step>()

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

  nextKey(after: Hex, within: Hex = ALL_KEYS): Hex | undefined {
    const prefix = mapOf(after)
    const page = this.#pages.get(prefix)
    const isInside = page !== undefined && after >= page.after
    const next = isInside ? page.keys[positionAfter(page.keys, after)] : undefined
    if (next === undefined && !(isInside && page.isLast)) this.#want(prefix, { after, within })
    return next
  }

  #want(prefix: Hex, step: Step): void {
    const other = this.#wanted.get(prefix) ?? step
    const within = step.within === other.within ? step.within : ALL_KEYS
    this.#wanted.set(prefix, { ...(step.after < other.after ? step : other), within })
  }

  /** Fetches the unknown entries. True when the run saw everything as it is. */
  async settle(): Promise<boolean> {
    const [supposed, wanted] = [[...this.#supposed], [...this.#wanted]]
    this.#supposed.clear()
    this.#wanted.clear()
    const [values, found] = await Promise.all([
      supposed.length > 0 ? this.#state.values(supposed) : [],
      Promise.all(wanted.map(([prefix, step]) => this.#extend(prefix, step))),
    ])
    for (const [position, key] of supposed.entries()) {
      const value = values[position]
      if (value !== undefined) this.#values.set(key, bytesOf(value))
    }
    return values.every((value) => value === undefined) && !found.includes(true)
  }

  /** Makes the page begin at `after`, or go on behind its end. Tells whether that brought a key that matters. */
  async #extend(prefix: Hex, { after, within }: Step): Promise<boolean> {
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
    return keys.some((key) => key.startsWith(within))
  }
}

function mapOf(key: Hex): Hex {
  return `0x${key.slice(2, MAP_PREFIX_CHARACTERS)}`
}
