import { LRUCache } from 'lru-cache'
import { ApiError } from '../http/errors.js'

/** The most wrong tries for a name in a window, and the word for them. */
export interface MostFailures {
  most: number
  what: string
  /** Default: a minute. */
  windowSeconds?: number
}

const OF_PASSWORDS: MostFailures = { most: 5, what: 'wrong passwords' }
const MINUTE = 60
const MAX_TRACKED = 50_000

interface Tries {
  count: number
  until: number
}

/**
 * Limits how often a password is guessed, or something else is tried, per name (of a credential and an address, of a
 * caller) and process. Among very many names those that nobody used for longest are forgotten, never all.
 */
export class Attempts {
  readonly #tries: LRUCache<string, Tries>

  constructor(maxTracked = MAX_TRACKED) {
    this.#tries = new LRUCache({ max: maxTracked })
  }

  /**
   * Counts a try as a wrong one until `succeeded` says otherwise: many at once are no way around the limit.
   * @throws 429 when the window saw too many wrong ones for this name
   */
  begin(name: string, now: Date, limit: MostFailures = OF_PASSWORDS): void {
    const left = this.count(name, now, limit)
    if (left !== undefined) throw tooMany(limit, left)
  }

  /** Does the same; past the limit it counts nothing, and returns the seconds that are left of the window. */
  count(name: string, now: Date, { most, windowSeconds = MINUTE }: MostFailures = OF_PASSWORDS): number | undefined {
    const known = this.#tries.get(name)
    const isCurrent =
      known !== undefined && known.until > now.getTime() && known.until <= now.getTime() + windowSeconds * 1000
    const tries = isCurrent ? known : { count: 0, until: now.getTime() + windowSeconds * 1000 }
    if (tries.count >= most) return Math.max(1, Math.ceil((tries.until - now.getTime()) / 1000))
    this.#tries.set(name, { ...tries, count: tries.count + 1 })
    return undefined
  }

  /** Takes back the count of a try that was right, or never made. */
  succeeded(name: string): void {
    const tries = this.#tries.get(name)
    if (tries) this.#tries.set(name, { ...tries, count: Math.max(0, tries.count - 1) })
  }
}

export const tooMany = ({ what }: MostFailures, secondsLeft: number): ApiError =>
  new ApiError('rate_limited', `Too many ${what}; try again later`, { headers: { 'Retry-After': String(secondsLeft) } })
