import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { FormatError } from '../../formats/format-error.js'
import { isObject, type Json, type JsonObject } from '../../formats/json.js'
import { checkTexts } from '../../formats/json-ld/limits.js'
import type { Database, TeamScope } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { parseJson, UnsafeJson } from '../../platform/http/input/json.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { oneOfEach } from '../../platform/process/one-of-each.js'
import { type FetchLimits, FetchRefused } from '../../platform/security/guarded-fetch.js'
import { isOwnAddress } from '../../platform/security/own-addresses.js'
import { limits, SchemaRefused } from '../check/schema-rules.js'
import { bytesInDataUrl } from './data-url.js'
import { checkRemoteContext } from './remote-context.js'
import { type Address, findRemote, KEPT, keepRemote, markIssued, type Stored } from './remote-document.store.js'
import type { RemoteKind } from './remote-document.tables.js'
import { checkRemoteSchema } from './remote-schema.js'

/** The most bytes of a fetched document, and the longest wait for it. */
export const REMOTE: Readonly<Record<RemoteKind, FetchLimits>> = {
  schema: { maxBytes: limits.bytes, timeoutMs: 2_000, accept: 'application/schema+json, application/json' },
  context: { maxBytes: 262_144, timeoutMs: 2_000, accept: 'application/ld+json, application/json' },
}

/** The same of a resource of any form, which is only compared with a digest. */
const RESOURCE: FetchLimits = { maxBytes: 1_048_576, timeoutMs: 2_000, accept: '*/*' }

interface Resource extends Omit<Address, 'kind'> {
  kind: 'resource'
}

/** The most fetches for one request. */
export const MOST_FETCHES = 16
/** The longest address: longer ones could not be stored as keys. */
const LONGEST_URL = 2048
/** The time for which nobody asks again after a failed fetch. */
export const FAILURE_MS = 60_000
const MEMORY_BYTES = 33_554_432

/** A document of another host. */
export interface RemoteDocument {
  document: JsonObject
  bytes: number
}

/** A document, or the reason for which it cannot be used. */
export type Remote = RemoteDocument | { reason: string }

type Kept = RemoteDocument & { isIssued: boolean }

/** The context that a fetch needs of its caller. */
export type Asker = Pick<Context, 'db' | 'clock' | 'config' | 'guardedFetch' | 'schemaChecks' | 'team' | 'scope'>

/** The documents in memory by team, kind and address, for each database. */
const keptOf = oneOfEach(
  (_: Database) => new LRUCache<string, Kept>({ maxSize: MEMORY_BYTES, sizeCalculation: ({ bytes }) => bytes }),
)
/** Failures, by team too: the bad moment of one refuses nothing to another. */
const failures = new LRUCache<string, { reason: string; until: number }>({ max: 5_000 })
const inFlight = new Map<string, Promise<Buffer>>()
const turns = new FairQueue({ running: 32, runningPerKey: 4, waiting: 256, waitingPerCaller: 32 })

/**
 * Schemas and contexts of other hosts, for one request: fetched once for each team. The fetched document counts from
 * then on, in issuing and in verifying.
 */
export class RemoteDocuments {
  #left = MOST_FETCHES
  readonly #kept: LRUCache<string, Kept>
  readonly #scope: TeamScope

  /** @param isIssuing documents that a team issues with are kept for good */
  constructor(
    private readonly asker: Asker,
    private readonly isIssuing: boolean,
  ) {
    const { teams, actor } = asker.scope
    // The copy is no effect of the request: it may be written again.
    this.#scope = { teams, actor }
    this.#kept = keptOf(asker.db)
  }

  /** @throws 429 and 503 when too many documents wait to be fetched or checked */
  async get(kind: RemoteKind, url: string): Promise<Remote> {
    if (kind === 'schema' && url.startsWith('data:')) return this.#inside(url)
    const address = { team: this.asker.team, kind, url }
    const known = await this.#known(address)
    if (known && (known.isIssued || !this.isIssuing)) return known
    if (known) {
      const marked = await this.#issueWith(address, known)
      if (marked) return marked
    }
    return this.#attempt(address, (bytes) => this.#keep(address, bytes))
  }

  /** Reads a schema that is its own address: what names it holds it, so that it is neither fetched nor kept. */
  async #inside(url: string): Promise<Remote> {
    try {
      return await this.accept(asObject(parseJson(textOf(bytesInDataUrl(url, limits.bytes)))))
    } catch (error) {
      return { reason: toldOf(error) }
    }
  }

  /**
   * Checks a schema that stands inside another document, as one that was fetched.
   * @throws 429 and 503 when too many documents wait to be checked
   */
  async accept(document: JsonObject): Promise<Remote> {
    const { schemaChecks, team } = this.asker
    try {
      checkTexts(document)
      await checkRemoteSchema(schemaChecks, team, document)
      return { document, bytes: Buffer.byteLength(JSON.stringify(document)) }
    } catch (error) {
      return { reason: toldOf(error) }
    }
  }

  /** Fetches what is at an address, unless that failed a moment ago, and does something with it. */
  async #attempt<Result>(
    address: Address | Resource,
    use: (bytes: Buffer) => Promise<Result>,
  ): Promise<Result | { reason: string }> {
    const { kind, url } = address
    const { clock, config } = this.asker
    if (isOwnAddress(config, url)) return { reason: 'there is none at this address of the service' }
    if (url.length > LONGEST_URL) return { reason: `its address has more than ${LONGEST_URL} characters` }
    const failure = failures.get(keyOf(address))
    if (failure && failure.until > clock.now().getTime()) return { reason: failure.reason }
    if (this.#left < 1) return { reason: `a request fetches at most ${MOST_FETCHES} documents` }
    this.#left -= 1
    try {
      return await use(await this.#fetch(kind, url))
    } catch (error) {
      const reason = toldOf(error)
      failures.set(keyOf(address), { reason, until: clock.now().getTime() + FAILURE_MS })
      return { reason }
    }
  }

  /**
   * Returns the bytes at an address: of what is kept as a schema, as a context, or as both, else as they are there.
   * @throws 429 and 503 when too many documents wait to be fetched
   */
  async bytesAt(url: string): Promise<readonly Uint8Array[] | { reason: string }> {
    const { team, db } = this.asker
    const kinds: RemoteKind[] = ['schema', 'context']
    const kept = await db.read(this.#scope, (reader) =>
      Promise.all(kinds.map((kind) => findRemote(reader, { team, kind, url }))),
    )
    const texts = kept.flatMap((stored) => (stored === undefined ? [] : [Buffer.from(stored.document)]))
    return texts.length > 0 ? texts : this.#attempt({ team, kind: 'resource', url }, async (bytes) => [bytes])
  }

  async #known(address: Address): Promise<Kept | undefined> {
    const known = this.#kept.get(keyOf(address))
    if (known) return known
    const stored = await this.asker.db.read(this.#scope, (reader) => findRemote(reader, address))
    return stored && this.#remember(address, stored)
  }

  #remember(address: Address, { document: text, isIssued }: Stored): Kept {
    const kept = { document: asObject(JSON.parse(text)), bytes: Buffer.byteLength(text), isIssued }
    this.#kept.set(keyOf(address), kept)
    return kept
  }

  /** @returns undefined when it is gone, and has to be fetched again */
  async #issueWith(address: Address, known: Kept): Promise<Remote | undefined> {
    const marked = await this.asker.db.transaction(this.#scope, (tx) => markIssued(tx, address))
    if (marked === 'full') return { reason: FULL }
    if (marked === 'gone') return undefined
    const kept = { ...known, isIssued: true }
    this.#kept.set(keyOf(address), kept)
    return kept
  }

  #fetch(kind: RemoteKind | 'resource', url: string): Promise<Buffer> {
    const { guardedFetch, team } = this.asker
    return turns.run(`team ${team}`, () =>
      fetchOnce(`${kind} ${url}`, () => guardedFetch(url, kind === 'resource' ? RESOURCE : REMOTE[kind])),
    )
  }

  async #keep(address: Address, bytes: Buffer): Promise<Remote> {
    const text = textOf(bytes)
    const document = asObject(parseJson(text))
    checkTexts(document)
    const { schemaChecks, team, db, clock } = this.asker
    if (address.kind === 'context') checkRemoteContext(document)
    else await checkRemoteSchema(schemaChecks, team, document)
    const digest = createHash('sha256').update(bytes).digest()
    const fetched = { document: text, digest, now: clock.now(), isIssued: this.isIssuing }
    const stored = await db.transaction(this.#scope, (tx) => keepRemote(tx, address, fetched))
    return stored ? this.#remember(address, stored) : { reason: FULL }
  }
}

/** Shares a fetch that is under way among all that ask for the same document. */
async function fetchOnce(key: string, fetch: () => Promise<Buffer>): Promise<Buffer> {
  const fetching = inFlight.get(key) ?? fetch()
  inFlight.set(key, fetching)
  try {
    return await fetching
  } finally {
    if (inFlight.get(key) === fetching) inFlight.delete(key)
  }
}

const FULL = `your team issues with ${KEPT.issued} documents that stand elsewhere already`

const keyOf = ({ team, kind, url }: Address | Resource): string => `${team} ${kind} ${url}`

/** Returns the fault of a document that stands elsewhere. @throws the error, where the fault is here */
function toldOf(error: unknown): string {
  const isTold = [FetchRefused, SchemaRefused, FormatError, UnsafeJson].some((one) => error instanceof one)
  if (isTold && error instanceof Error) return error.message
  if (error instanceof SyntaxError) return 'it is not JSON'
  throw error
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new FetchRefused('it is not UTF-8', { cause: error })
  }
}

function asObject(value: Json): JsonObject {
  if (!isObject(value)) throw new FetchRefused('it is no JSON object')
  return value
}
