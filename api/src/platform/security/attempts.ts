import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors.js'
import type { Clock } from '../process/clock.js'
import { oneOfEach } from '../process/one-of-each.js'

/** The most wrong tries for a name in a window, and the word for them. */
export interface MostFailures {
  most: number
  what: string
  /** Default: a minute. */
  windowSeconds?: number
}

export const OF_PASSWORDS: MostFailures = { most: 5, what: 'wrong passwords' }
const MINUTE = 60
const MAX_TRACKED = 50_000
/** Tries of a name that wait for others of it. */
const MAX_WAITING = 32

interface Tries {
  count: number
  until: number
}

/** A name, and the most wrong tries of it. */
export type Limited = readonly [name: string, limit: MostFailures]

/**
 * Limits how often a password is guessed, or something else is tried, per name (of a credential and an address, of a
 * caller) and process. Among very many names those that nobody used for longest are forgotten, never all.
 */
export class Attempts {
  readonly #tries: LRUCache<string, Tries>
  /** Tries that have not ended, by name. */
  readonly #underWay = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

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
  count(name: string, now: Date, limit: MostFailures = OF_PASSWORDS): number | undefined {
    const tries = this.#current(name, now, limit)
    if (tries.count >= limit.most) return secondsUntil(tries.until, now)
    this.#tries.set(name, { ...tries, count: tries.count + 1 })
    return undefined
  }

  /**
   * Begins a try under several names. It waits while those under way could use up what is left of a name, since each may
   * turn out right: only tries that were wrong refuse another one.
   * @returns ends the try; a wrong one counts
   * @throws 429 when the window saw too many wrong ones, or too many wait
   */
  async enter(names: readonly Limited[], clock: Clock): Promise<(isWrong: boolean) => void> {
    for (let full = this.#full(names, clock.now()); full !== undefined; full = this.#full(names, clock.now()))
      await this.#ended(full)
    for (const [name] of names) this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1)
    return (isWrong) => {
      for (const [name, limit] of names) {
        if (isWrong) this.count(name, clock.now(), limit)
        this.#end(name)
      }
    }
  }

  /** Finds a name of which all that is left is under way. */
  #full(names: readonly Limited[], now: Date): Limited | undefined {
    return names.find(([name, limit]) => {
      const { count, until } = this.#current(name, now, limit)
      if (count >= limit.most) throw tooMany(limit, secondsUntil(until, now))
      return count + (this.#underWay.get(name) ?? 0) >= limit.most
    })
  }

  #ended([name, limit]: Limited): Promise<void> {
    const waiting = this.#waiting.get(name) ?? []
    if (waiting.length >= MAX_WAITING) throw tooMany({ ...limit, what: 'tries at once' }, 1)
    this.#waiting.set(name, waiting)
    return new Promise((resolve) => waiting.push(resolve))
  }

  #end(name: string): void {
    const left = (this.#underWay.get(name) ?? 0) - 1
    if (left > 0) this.#underWay.set(name, left)
    else this.#underWay.delete(name)
    const waiting = this.#waiting.get(name) ?? []
    this.#waiting.delete(name)
    for (const goOn of waiting) goOn()
  }

  #current(name: string, now: Date, { windowSeconds = MINUTE }: MostFailures): Tries {
    const known = this.#tries.get(name)
    const until = now.getTime() + windowSeconds * 1000
    return known !== undefined && known.until > now.getTime() && known.until <= until ? known : { count: 0, until }
  }

  /** Takes back the count of a try that was right, or never made. */
  succeeded(name: string): void {
    const tries = this.#tries.get(name)
    if (tries) this.#tries.set(name, { ...tries, count: Math.max(0, tries.count - 1) })
  }
}

/**
 * Makes attempts that each service counts by itself, also where several run in one process, as in tests. A service is
 * known by its way to tell events, which its dry runs have too.
 */
export function attemptsOfEach(): (service: { readonly events: object }) => Attempts {
  const attempts = oneOfEach(() => new Attempts())
  return ({ events }) => attempts(events)
}

const secondsUntil = (time: number, now: Date): number => Math.max(1, Math.ceil((time - now.getTime()) / 1000))

export const tooMany = ({ what }: MostFailures, secondsLeft: number): ApiError =>
  new ApiError('rate_limited', `Too many ${what}; try again later`, { headers: { 'Retry-After': String(secondsLeft) } })
