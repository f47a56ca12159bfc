import { LRUCache } from 'lru-cache'
import { isObject, type JsonObject } from '../../formats/json.js'
import type { Context } from '../../platform/http/context.js'
import { parseJson } from '../../platform/http/input/json.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { oneOfEach } from '../../platform/process/one-of-each.js'
import { type FetchLimits, FetchRefused } from '../../platform/security/guarded-fetch.js'
import { isOwnAddress } from '../../platform/security/own-addresses.js'
import { didWebUrl } from './did-web.js'

const LIMITS: FetchLimits = { maxBytes: 65_536, timeoutMs: 2_000, accept: 'application/did+json, application/json' }
/** The time for which a document counts as the present one, and for which nobody asks again after a failure. */
const FRESH_MS = 60_000
const FAILURE_MS = 10_000
/** The most documents that are fetched for one request. */
const MOST_FETCHES = 16

interface Seen {
  readonly document: JsonObject
  /** When it was asked for: it was so then, and nobody knows of any time before. */
  readonly since: Date
}

export type FoundDocument = Seen | { readonly reason: string }

type Asker = Pick<Context, 'clock' | 'config' | 'guardedFetch' | 'team'>

/** By the function that fetches, and by DID. */
const seenBy = oneOfEach((_: Asker['guardedFetch']) => new LRUCache<string, Seen>({ max: 1_000 }))
/** The same that are under way, by team and DID: nobody waits for the turn of another. */
const fetchingBy = oneOfEach((_: Asker['guardedFetch']) => new Map<string, Promise<Seen>>())
/** By team and DID too: the bad moment of one refuses nothing to another. */
const failures = new LRUCache<string, { reason: string; until: number }>({ max: 5_000 })
const turns = new FairQueue({ running: 32, runningPerKey: 4, waiting: 256, waitingPerCaller: 32 })

/** The documents of DIDs that stand on web hosts (did:web), for one request. */
export class DidDocuments {
  #left = MOST_FETCHES
  readonly #seen: LRUCache<string, Seen>
  readonly #fetching: Map<string, Promise<Seen>>

  constructor(private readonly asker: Asker) {
    this.#seen = seenBy(asker.guardedFetch)
    this.#fetching = fetchingBy(asker.guardedFetch)
  }

  /** @throws 429 and 503 when too many documents wait to be fetched */
  async get(did: string): Promise<FoundDocument> {
    const url = didWebUrl(did)
    if (url === undefined) return { reason: 'it is malformed, or names an address' }
    const { clock, config, team } = this.asker
    if (isOwnAddress(config, url)) return { reason: 'there is none at this address of the service' }
    const now = clock.now()
    const known = this.#seen.get(did)
    if (known && now.getTime() - known.since.getTime() < FRESH_MS) return known
    const key = `${team} ${did}`
    const failure = failures.get(key)
    if (failure && failure.until > now.getTime()) return { reason: failure.reason }
    const underWay = this.#fetching.get(key)
    if (underWay === undefined && this.#left < 1)
      return { reason: `a request fetches at most ${MOST_FETCHES} documents` }
    try {
      return await (underWay ?? this.#begin(key, () => this.#fetch(did, url, now)))
    } catch (error) {
      if (!(error instanceof FetchRefused || error instanceof SyntaxError)) throw error
      const reason = error instanceof FetchRefused ? error.message : 'it is not JSON'
      failures.set(key, { reason, until: now.getTime() + FAILURE_MS })
      return { reason }
    }
  }

  async #begin(key: string, fetch: () => Promise<Seen>): Promise<Seen> {
    this.#left -= 1
    const fetching = fetch()
    this.#fetching.set(key, fetching)
    try {
      return await fetching
    } finally {
      this.#fetching.delete(key)
    }
  }

  async #fetch(did: string, url: string, since: Date): Promise<Seen> {
    const { guardedFetch, team } = this.asker
    const found = await turns.run(`team ${team}`, async () => {
      const document = parseJson((await guardedFetch(url, LIMITS)).toString('utf8'))
      if (!isObject(document) || document.id !== did) throw new FetchRefused('what stands there is not its document')
      return { document, since }
    })
    this.#seen.set(did, found)
    return found
  }
}
