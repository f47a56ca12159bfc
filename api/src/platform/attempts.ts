import { ApiError } from './errors.js'

/** How many wrong tries a name has in a minute, and what they are called. */
export interface MostFailures {
  most: number
  what: string
}

const OF_PASSWORDS: MostFailures = { most: 5, what: 'wrong passwords' }
const WINDOW_MS = 60_000
const MAX_TRACKED = 50_000

interface Tries {
  count: number
  until: number
}

/** Limits how often a password is guessed, or something else is tried, per name (of a credential, of a caller) and process. */
export class Attempts {
  readonly #tries = new Map<string, Tries>()

  /**
   * Counts a try as a wrong one until `succeeded` says otherwise: many at once are no way around the limit.
   * @throws 429 when the last minute saw too many wrong ones for this name
   */
  begin(id: string, now: Date, { most, what }: MostFailures = OF_PASSWORDS): void {
    const known = this.#tries.get(id)
    const tries = known && known.until > now.getTime() ? known : { count: 0, until: now.getTime() + WINDOW_MS }
    if (tries.count >= most)
      throw new ApiError('rate_limited', `Too many ${what}; wait a minute`, {
        headers: { 'Retry-After': '60' },
      })
    if (!known && this.#tries.size >= MAX_TRACKED) this.#tries.clear()
    this.#tries.set(id, { ...tries, count: tries.count + 1 })
  }

  succeeded(id: string): void {
    const tries = this.#tries.get(id)
    if (tries) this.#tries.set(id, { ...tries, count: Math.max(0, tries.count - 1) })
  }
}
