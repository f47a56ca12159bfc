import { ApiError } from './errors.js'

const MAX_FAILURES = 5
const WINDOW_MS = 60_000
const MAX_TRACKED = 50_000

interface Tries {
  count: number
  until: number
}

/** Limits how often a password is guessed, per name (of a credential, of a caller) and process; the key derivation limits the rest. */
export class Attempts {
  readonly #tries = new Map<string, Tries>()

  /**
   * Counts a try as a wrong one until `succeeded` says otherwise: many at once are no way around the limit.
   * @throws 429 when the last minute saw too many wrong passwords for this name
   */
  begin(id: string, now: Date): void {
    const known = this.#tries.get(id)
    const tries = known && known.until > now.getTime() ? known : { count: 0, until: now.getTime() + WINDOW_MS }
    if (tries.count >= MAX_FAILURES)
      throw new ApiError('rate_limited', 'Too many wrong passwords; wait a minute', {
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
