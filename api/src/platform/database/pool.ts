import pg from 'pg'

const types = new pg.TypeOverrides()
// Our 64-bit numbers (ids, sequences) stay far below 2^53.
types.setTypeParser(pg.types.builtins.INT8, Number)

/** A lender of connections. */
export interface Connections {
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

export interface PoolOptions {
  url: string
  max: number
  applicationName: string
}

/** Every statement of ours is short: its compilation takes longer than its run. */
export const NO_COMPILING = '-c jit=off'

/**
 * The `plan_cache_mode` in which Postgres plans a kept statement for all values, and not anew for those of each time.
 * That it does for as long as it expects to gain by it: where it does not know how many are asked for, it expects ten.
 * Right for statements that find each row by a key; wrong for one that gets by with a partial index, or with few rows,
 * for some values only.
 */
export const PLANNED_ONCE = 'force_generic_plan'

/** A pool whose unqualified names mean schema `service`. */
export function servicePool({ url, max, applicationName }: PoolOptions): pg.Pool {
  return resilientPool({
    connectionString: url,
    max,
    types,
    application_name: applicationName,
    options: `-c search_path=service,pg_temp -c idle_in_transaction_session_timeout=60000 ${NO_COMPILING}`,
  })
}

const opened = new Set<pg.Pool>()

interface PoolState {
  name: string
  /** The connections that it has, and how many of them nobody uses. */
  total: number
  idle: number
  /** The callers that wait for one. */
  waiting: number
}

/** Returns the state of each open pool of this process, by its application name. */
export const poolStates = (): PoolState[] =>
  [...opened]
    .filter((pool) => !pool.ended)
    .map((pool) => ({
      name: pool.options.application_name ?? 'unnamed',
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }))

/** A pool that outlives each of its connections. */
export function resilientPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  for (const other of opened) if (other.ended) opened.delete(other)
  opened.add(pool)
  // An idle connection that dies is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => undefined)
  // The same holds for a connection that dies in use: its statement fails, and nothing else.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const TOO_MANY_CONNECTIONS = '53300'
const RETRY_MS = 10_000

/**
 * A pool that waits when Postgres has no connection left, instead of failing the request: some connection will be free
 * soon.
 */
export function connectWithRetry(pool: pg.Pool): Connections {
  return {
    async connect() {
      const until = performance.now() + RETRY_MS
      for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
        try {
          return await pool.connect()
        } catch (error) {
          const isFull = error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS
          if (!isFull || performance.now() + pause > until) throw error
          await new Promise((resolve) => setTimeout(resolve, pause))
        }
      }
    },
    end: () => pool.end(),
  }
}
