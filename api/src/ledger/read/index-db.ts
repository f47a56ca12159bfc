import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Config } from '../../config.js'
import { type Connections, connectWithRetry, NO_COMPILING, resilientPool } from '../../platform/database/pool.js'
import { preparedStatements } from '../../platform/database/prepared-statements.js'
import { ApiError } from '../../platform/errors.js'
import { batchLoader } from '../../platform/process/batch-loader.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import type { LedgerTables } from './index-tables.js'
import { openIndexWatch } from './index-watch.js'

export type IndexReader = Kysely<LedgerTables>

interface Point {
  block: number
  time: Date
}

/** The newest block of the index. */
export interface IndexHead extends Point {
  /** The time of the first block. */
  genesisTime: Date
  hash: string
  specVersion: number
  /** The newest block that is final, as far as the indexer has heard; it may be ahead of the index. */
  finalHeight: number
  /** The newest block that is indexed and can never be taken back; 0 while the index lacks the final one. */
  settledHeight: number
  /**
   * The age of the oldest final block that is not indexed, or the time since the node was last heard; 0: there is none
   * and it is heard.
   */
  lagMs: number
}

/** The door for reading the ledger: schema `ledger`, which the indexer keeps. */
export interface IndexDb {
  readonly db: IndexReader
  /** The lag beyond which no present can be told. */
  readonly maxLagMs: number
  /** The newest indexed block; 503 when nothing is indexed yet. */
  head(): Promise<IndexHead>
  /**
   * Runs work that reads as much as its caller pleases: each of its statements waits for the caller's turn, and all
   * such work at once leaves connections to everybody else.
   *
   * @param work reads through the index that it is given
   */
  inTurns<T>(caller: string, work: (index: IndexDb) => Promise<T>): Promise<T>
  /** Waits until block `height` is indexed; false when it is not indexed in time. */
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

/** The connections, of these, that work takes which reads in turns, and those that one caller takes. */
const SHARE_IN_TURNS = 0.4
const AT_ONCE_IN_TURNS = 2

/** Every question begins with the head: one statement answers many at once. */
const HEADS = { running: 1, most: 1_000 }

export function openIndex(config: Pick<Config, 'database' | 'ledger'>): IndexDb {
  const { url, pool } = config.database
  const max = Math.min(pool, MAX_CONNECTIONS)
  const options = `-c search_path=ledger,pg_temp -c default_transaction_read_only=on -c statement_timeout=30000 ${NO_COMPILING}`
  const connections = resilientPool({ connectionString: url, max, options, application_name: 'accredit-index-reader' })
  const over = (lent: Connections) =>
    new Kysely<LedgerTables>({ dialect: new PostgresDialect({ pool: preparedStatements(lent) }) })
  const db = over(connectWithRetry(connections))
  const callers = new AsyncLocalStorage<string>()
  const dbInTurns = over(
    lentInTurns(connectWithRetry(connections), Math.max(1, Math.floor(max * SHARE_IN_TURNS)), callers),
  )
  const watch = openIndexWatch(url)
  const head = batchLoader<undefined, IndexHead>(async (asked) => {
    const one = await readHead(db)
    return asked.map(() => one)
  }, HEADS)
  const index: IndexDb = {
    db,
    maxLagMs: config.ledger.indexMaxLagMs,
    inTurns: (caller, work) => callers.run(caller, () => work({ ...index, db: dbInTurns })),
    head: () => head(undefined),
    reaches: (height, waitMs) => watch.until(async () => (await readHeight(db)) >= height, waitMs),
    async close() {
      await watch.close()
      await db.destroy()
    },
  }
  return index
}

/** Lends a connection when the caller of the work has its turn. */
function lentInTurns(connections: Connections, running: number, callers: AsyncLocalStorage<string>): Connections {
  const everyone = Number.POSITIVE_INFINITY // what one request may ask for is bounded by its cost
  const turns = new FairQueue({ running, runningPerKey: Math.min(running, AT_ONCE_IN_TURNS), waiting: everyone })
  return {
    ...connections,
    async connect() {
      const leave = await turns.enter([callers.getStore() ?? 'nobody'])
      try {
        const client = await connections.connect()
        const release = client.release.bind(client) // the pool sets another one each time it lends
        client.release = (error) => {
          release(error)
          leave()
        }
        return client
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

/** The indexer writes seen_at every two seconds; a node counts as heard for this time after it. */
const HEARD_WITHIN_MS = 5_000

async function readHead(db: IndexReader): Promise<IndexHead> {
  const head = await readHeadRow(db).catch(notThereYet)
  if (head === undefined) throw new ApiError('ledger_unavailable', 'The ledger is not indexed yet')
  const { seenMs, behindMs, ...rest } = head
  return { ...rest, lagMs: Math.max(behindMs, seenMs > HEARD_WITHIN_MS ? seenMs : 0) }
}

interface HeadRow extends Omit<IndexHead, 'lagMs'> {
  seenMs: number
  behindMs: number
}

/** 'final' is a parameter, not text: a statement without one is planned each time. */
async function readHeadRow(db: IndexReader): Promise<HeadRow | undefined> {
  const { rows } = await sql<HeadRow>`
    select b.height as block, b.time, b.hash, b.spec_version as "specVersion", f.height as "finalHeight",
      coalesce((select s.height from ledger.block s where s.height = f.height and s.hash = f.hash), 0) as "settledHeight",
      (select g.time from ledger.block g order by g.height limit 1) as "genesisTime",
      greatest(extract(epoch from clock_timestamp() - f.seen_at) * 1000, 0)::float8 as "seenMs",
      coalesce(greatest(extract(epoch from clock_timestamp() - f.behind_since) * 1000, 0), 0)::float8 as "behindMs"
    from ledger.block b cross join ledger.finality f
    where f.id = ${'final'} order by b.height desc limit 1`.execute(db)
  return rows[0]
}

async function readHeight(db: IndexReader): Promise<number> {
  const row = await db
    .selectFrom('block')
    .select((eb) => eb.fn.max('height').as('height'))
    .executeTakeFirst()
    .catch(notThereYet)
  return row?.height ?? -1
}

/** The indexer makes schema and tables at its first start, and lets us read them afterwards. */
const NOT_THERE = new Set(['42P01', '3F000', '42501'])

function notThereYet(error: unknown): undefined {
  if (error instanceof pg.DatabaseError && error.code !== undefined && NOT_THERE.has(error.code)) return undefined
  throw error
}
