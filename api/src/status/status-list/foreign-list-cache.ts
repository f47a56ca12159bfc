import type { Config } from '../../config.js'
import type { Environment } from '../../platform/http/context.js'
import { oneOfEach } from '../../platform/process/one-of-each.js'
import type { GuardedFetch } from '../../platform/security/guarded-fetch.js'

/** The bytes of a list, and the time at which they were asked for. */
export interface Fetched {
  bytes: Buffer
  fetched: Date
}

interface Kept extends Fetched {
  /** The instant from which on it is not used, in milliseconds. */
  until: number
}

/** A question for a list. */
interface Asked {
  now: Date
  /** The longest time since it was fetched. */
  maxAgeMs: number
}

const isYoung = (fetched: Date, { now, maxAgeMs }: Asked): boolean => now.getTime() - fetched.getTime() <= maxAgeMs

interface Bounds {
  maxBytes: number
  maxAgeMs: number
}

/**
 * Lists that stand elsewhere and were found good, as they were fetched: a few seconds, and no more bytes than allowed.
 * The list that was used longest ago goes first.
 */
export class ForeignLists {
  private readonly kept = new Map<string, Kept>()
  private readonly underWay = new Map<string, { fetched: Date; list: Promise<Fetched> }>()
  private size = 0

  constructor(private readonly bounds: Bounds) {}

  /** The list as it was fetched lately; undefined: it must be fetched. */
  find(url: string, asked: Asked): Buffer | undefined {
    const found = this.kept.get(url)
    if (found === undefined || !isYoung(found.fetched, asked)) return undefined
    this.drop(url)
    if (found.until <= asked.now.getTime()) return undefined
    this.put(url, found)
    return found.bytes
  }

  /** @param ttlMs how long its keeper says that it may be kept; undefined when he says nothing */
  keep(url: string, { bytes, fetched }: Fetched, ttlMs: number | undefined): void {
    const known = this.kept.get(url)
    // An answer that took long is older than one that was asked for later.
    if (known && known.fetched > fetched) return
    this.drop(url)
    const life = Math.min(this.bounds.maxAgeMs, ttlMs ?? Number.POSITIVE_INFINITY)
    if (life <= 0 || bytes.length > this.bounds.maxBytes) return
    this.put(url, { bytes, fetched, until: fetched.getTime() + life })
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.bounds.maxBytes) break
      this.drop(oldest)
    }
  }

  drop(url: string): void {
    this.size -= this.kept.get(url)?.bytes.length ?? 0
    this.kept.delete(url)
  }

  /** Shares a list that is being fetched, or looked at after that, with all callers for whom it is not too old. */
  async fetchOnce<T>(
    url: string,
    asked: Asked,
    fetch: () => Promise<Buffer>,
    look: (found: Fetched) => Promise<T>,
  ): Promise<T> {
    const known = this.underWay.get(url)
    const fetching = known && isYoung(known.fetched, asked) ? known : begun(fetch, asked.now)
    this.underWay.set(url, fetching)
    try {
      return await look(await fetching.list)
    } finally {
      if (this.underWay.get(url) === fetching) this.underWay.delete(url)
    }
  }

  private put(url: string, kept: Kept): void {
    this.kept.set(url, kept)
    this.size += kept.bytes.length
  }
}

const begun = (fetch: () => Promise<Buffer>, fetched: Date) => ({
  fetched,
  list: fetch().then((bytes) => ({ bytes, fetched })),
})

const listsOf = oneOfEach(
  (_: GuardedFetch, { cacheSeconds, cacheBytes }: Config['foreignLists']) =>
    new ForeignLists({ maxBytes: cacheBytes, maxAgeMs: cacheSeconds * 1000 }),
)

/** Returns the one cache for all lists that are fetched through one door. */
export const foreignLists = ({ guardedFetch, config }: Pick<Environment, 'guardedFetch' | 'config'>): ForeignLists =>
  listsOf(guardedFetch, config.foreignLists)
