import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.js'

/** What lends connections. */
export interface Connections {
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/** So many statements are kept by each connection; the service has fewer. */
const MOST_KEPT = 1_000

/** Statements for any number of rows have as many texts: they are not kept. */
const MOST_PARAMETERS = 64

/**
 * Connections that plan a statement once, and not each time it comes: to plan a page of participants takes Postgres longer
 * than to read it. Postgres plans anew by itself when a table or its statistics change.
 */
export function planned(connections: Connections): PostgresPool {
  const names = new StatementNames()
  return {
    connect: async () => new PlannedClient(await connections.connect(), names),
    end: () => connections.end(),
  }
}

/** Names for what comes a second time. */
class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #once = new Set<string>()

  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size === MOST_KEPT) return known
    if (!this.#once.delete(text)) {
      if (this.#once.size === MOST_KEPT) this.#once.clear()
      this.#once.add(text)
      return undefined
    }
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

class PlannedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  #isOutdated = false

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client
    this.#names = names
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('nothing is read through a cursor')
    return this.#run(text, [...values])
  }

  async #run(text: string, values: unknown[]) {
    const name = values.length > 0 && values.length <= MOST_PARAMETERS ? this.#names.of(text) : undefined
    if (name === undefined) return this.#client.query(text, values)
    try {
      return await this.#client.query({ name, text, values })
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error
      this.#isOutdated = true
      throw new ApiError('unavailable', 'The database has just been changed; try again', { cause: error })
    }
  }

  /** A connection with outdated plans is not lent again. */
  release(): void {
    this.#client.release(this.#isOutdated)
  }
}

/** A table was changed while the service ran, and a statement that was kept would answer with other columns than it did. */
const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
