import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../../config.js'
import { connectWithRetry, NO_COMPILING, PLANNED_ONCE, resilientPool } from '../../platform/database/pool.js'
import { type PreparedConnections, preparedStatements } from '../../platform/database/prepared-statements.js'
import { ApiError, NO_FINAL_BLOCK } from '../../platform/errors.js'
import { batchLoader } from '../../platform/process/batch-loader.js'
import type { Clock } from '../../platform/process/clock.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import type { LedgerTables } from './index-tables.js'
import { openIndexWatch } from './index-watch.js'

export type IndexReader = Kysely<LedgerTables>

interface Point {
  block: number
  time: Date
}

/**
 * The present of the ledger: the block that answers about now stand on. Where a block is final when it is made, that is
 * the newest indexed one; on a network of validators the newest that is indexed and final.
 */
export interface IndexHead extends Point {
  /** The time of the first block. */
  genesisTime: Date
  hash: string
  specVersion: number
  /** True where validators make blocks final, whose votes prove what the ledger says. */
  isNetwork: boolean
  /** True where no fork of the ledger can take the block back. */
  isFinal: boolean
  /** The newest indexed block. Nothing but the state of the index is told of it where it is newer than the present. */
  newest: Point
  /** The newest block that is final, as far as the indexer has heard; it may be ahead of the index. */
  finalHeight: number
  /** The newest block that is indexed and can never be taken back; 0: none is known. */
  settledHeight: number
  /**
   * The age of the oldest final block that is not indexed, or the time since the node was last heard; 0: there is none
   * and it is heard.
   */
  indexLagMs: number
  /**
   * The age of the present by the clock here, on a network, which makes blocks all the time; negative: it lies ahead of
   * the clock. 0 where blocks are made only when there is something to write.
   */
  ageMs: number
  /** The time for which the ledger may have changed without the index: the greater one of the two. */
  lagMs: number
}

/** The door for reading the ledger: schema `ledger`, which the indexer keeps. */
export interface IndexDb {
  readonly db: IndexReader
  /** The lag of the index, and the age of a network's final block, beyond which no present can be told. */
  readonly maxLagMs: number
  readonly maxAgeMs: number
  /** The present; 503 when nothing is indexed yet, or nothing final on a network. */
  head(): Promise<IndexHead>
  /**
   * Runs work that reads as much as its caller pleases: each of its statements waits for the caller's turn, and all
   * such work at once leaves connections to everybody else.
   *
   * @param work reads through the index that it is given
   */
  inTurns<T>(caller: string, work: (index: IndexDb) => Promise<T>): Promise<T>
  /** Waits until the present is block `height` or a later one; false when it is not in time. */
  reaches(height: number, waitMs: number): Promise<boolean>
  close(): Promise<void>
}

declare module '../../platform/http/context.js' {
  interface ContextServices {
    readonly index: IndexDb
  }
}

/** Reads are short: a few connections serve many requests. */
const MAX_CONNECTIONS = 10

/**
 * The connections, of these, for statements by key: what is asked at once shares one statement, and a connection that is
 * in use all the time answers sooner.
 */
const BY_KEY_CONNECTIONS = 2

/** The others, of these, that work takes which reads in turns, and those that one caller takes. */
const SHARE_IN_TURNS = 0.4
const AT_ONCE_IN_TURNS = 2

/** Every question begins with the head: one statement answers many at once. */
const HEADS = { running: 1, most: 1_000 }

/** @param clock tells how old the present is */
export function openIndex(config: Pick<Config, 'database' | 'ledger'>, clock: Clock, log: Logger): IndexDb {
  const { url, pool } = config.database
  const max = Math.min(pool, MAX_CONNECTIONS)
  const forKeys = Math.min(BY_KEY_CONNECTIONS, Math.ceil(max / 2))
  const others = Math.max(1, max - forKeys)
  const connections = indexPool(url, others)
  const connectionsByKey = indexPool(url, forKeys, `-c plan_cache_mode=${PLANNED_ONCE}`)
  const over = (pool: PreparedConnections) => new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool }) })
  const prepared = preparedStatements(connectWithRetry(connections))
  const db = over(prepared)
  byKeyOf.set(db, over(preparedStatements(connectWithRetry(connectionsByKey))))
  const turns = turnsFor(Math.max(1, Math.floor(others * SHARE_IN_TURNS)))
  const watch = openIndexWatch(url, log)
  const head = batchLoader<undefined, IndexHead>(async (asked) => {
    const one = await readHead(db, clock)
    return asked.map(() => one)
  }, HEADS)
  const index: IndexDb = {
    db,
    maxLagMs: config.ledger.indexMaxLagMs,
    maxAgeMs: config.ledger.maxAgeMs,
    inTurns: (caller, work) => work({ ...index, db: over(lentInTurns(prepared, turns, caller)) }),
    head: () => head(undefined),
    reaches: (height, waitMs) => watch.until(async () => (await presentHeight(index)) >= height, waitMs),
    async close() {
      await watch.close()
      // Kysely ends a pool only when a statement of its own went through it.
      await Promise.all([connections.end(), connectionsByKey.end()])
    },
  }
  return index
}

/** @param settings further ones of each session */
function indexPool(url: string, max: number, settings = '') {
  const options = `-c search_path=ledger,pg_temp -c default_transaction_read_only=on -c statement_timeout=30000 ${NO_COMPILING} ${settings}`
  return resilientPool({ connectionString: url, max, options, application_name: 'accredit-index-reader' })
}

const byKeyOf = new WeakMap<IndexReader, IndexReader>()

/**
 * Returns the reader for a statement whose rows are each found by a key, also many at once: it is planned once. Without
 * that Postgres plans it longer than it reads. What reads in turns goes on doing so.
 */
export const byKey = (db: IndexReader): IndexReader => byKeyOf.get(db) ?? db

const turnsFor = (running: number): FairQueue =>
  new FairQueue({
    running,
    runningPerKey: Math.min(running, AT_ONCE_IN_TURNS),
    waiting: Number.POSITIVE_INFINITY, // what one request may ask for is bounded by its cost
  })

/** Lends a connection when the caller of the work has its turn. */
function lentInTurns(connections: PreparedConnections, turns: FairQueue, caller: string): PreparedConnections {
  return {
    ...connections,
    async connect() {
      const leave = await turns.enter([caller])
      try {
        return await connections.connect(leave)
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

/** The indexer writes seen_at every two seconds; a node counts as heard for this time after it. */
const HEARD_WITHIN_MS = 5_000

async function readHead(db: IndexReader, clock: Clock): Promise<IndexHead> {
  const row = await readHeadRow(db).catch(notThereYet)
  if (row === undefined) throw new ApiError('ledger_unavailable', 'The ledger is not indexed yet')
  const { rule, newest, settled, seenMs, behindMs, ...rest } = row
  const present = rule === 'instant' ? newest : settled
  if (present === null) throw new ApiError('ledger_unavailable', NO_FINAL_BLOCK)
  const indexLagMs = Math.max(behindMs, seenMs > HEARD_WITHIN_MS ? seenMs : 0)
  const time = new Date(present.ms)
  const ageMs = rule === 'instant' ? 0 : clock.now().getTime() - time.getTime()
  const settledHeight = settled?.height ?? 0
  return {
    ...rest,
    block: present.height,
    time,
    hash: present.hash,
    specVersion: present.specVersion,
    isNetwork: rule === 'grandpa',
    isFinal: present.height <= settledHeight,
    newest: { block: newest.height, time: new Date(newest.ms) },
    settledHeight,
    indexLagMs,
    ageMs,
    lagMs: Math.max(indexLagMs, Math.abs(ageMs)),
  }
}

/** The time by which a block may lie ahead of the clock here: clocks of servers differ by less. */
const AHEAD_OF_CLOCK_MS = 10_000

/** Returns why no present can be told: an old answer would look like a new one. Undefined: it can. */
export function staleness(
  index: Pick<IndexDb, 'maxLagMs' | 'maxAgeMs'>,
  head: Pick<IndexHead, 'indexLagMs' | 'ageMs'>,
): string | undefined {
  const seconds = Math.round(Math.abs(head.ageMs) / 1000)
  if (head.indexLagMs > index.maxLagMs) return 'The index lags behind the ledger'
  if (head.ageMs > index.maxAgeMs) return `The newest final block of the ledger is ${seconds} seconds old`
  if (head.ageMs < -AHEAD_OF_CLOCK_MS)
    return `The newest final block of the ledger lies ${seconds} seconds ahead of the clock here`
  return undefined
}

interface IndexedBlock {
  height: number
  hash: string
  /** Its time, in ms since 1970. */
  ms: number
  specVersion: number
}

interface HeadRow extends Pick<IndexHead, 'finalHeight' | 'genesisTime'> {
  rule: 'instant' | 'grandpa'
  newest: IndexedBlock
  settled: IndexedBlock | null
  seenMs: number
  behindMs: number
}

const blockOf = (alias: string) => sql`json_build_object('height', ${sql.ref(`${alias}.height`)},
  'hash', ${sql.ref(`${alias}.hash`)}, 'ms', floor(extract(epoch from ${sql.ref(`${alias}.time`)}) * 1000),
  'specVersion', ${sql.ref(`${alias}.spec_version`)})`

/** 'final' is a parameter, not text: a statement without one is planned each time. */
async function readHeadRow(db: IndexReader): Promise<HeadRow | undefined> {
  const { rows } = await sql<HeadRow>`
    select f.rule, f.height as "finalHeight", ${blockOf('b')} as newest,
      case when s.height is not null then ${blockOf('s')} end as settled,
      (select g.time from ledger.block g order by g.height limit 1) as "genesisTime",
      greatest(extract(epoch from clock_timestamp() - f.seen_at) * 1000, 0)::float8 as "seenMs",
      coalesce(greatest(extract(epoch from clock_timestamp() - f.behind_since) * 1000, 0), 0)::float8 as "behindMs"
    from ledger.block b cross join ledger.finality f
      left join ledger.block s on s.height = f.settled_height and s.hash = f.settled_hash
    where f.id = ${'final'} order by b.height desc limit 1`.execute(byKey(db))
  return rows[0]
}

async function presentHeight(index: Pick<IndexDb, 'head'>): Promise<number> {
  try {
    return (await index.head()).block
  } catch (error) {
    if (error instanceof ApiError && error.type === 'ledger_unavailable') return -1
    throw error
  }
}

/** The indexer makes schema and tables at its first start, and lets us read them afterwards. */
const NOT_THERE = new Set(['42P01', '3F000', '42501'])

function notThereYet(error: unknown): undefined {
  if (error instanceof pg.DatabaseError && error.code !== undefined && NOT_THERE.has(error.code)) return undefined
  throw error
}
