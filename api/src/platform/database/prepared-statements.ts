import { createHash } from 'node:crypto'
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.js'
import { type Statement, sendTogether } from './pipeline.js'
import type { Connections } from './pool.js'

/** The most statements that a connection keeps: a page of participants alone takes a quarter of a megabyte. */
const MOST_KEPT = 300

/** Statements for any number of rows have as many texts: they are not kept. */
const MOST_PARAMETERS = 64

/**
 * Connections that keep statements which come again: for a page of participants Postgres parses and plans longer than it
 * reads. When statistics or indexes change, Postgres plans anew by itself. The code is our own, since Kysely gives its
 * statements no names, by which `pg` prepares them. Names live in a session: anything between this and Postgres must keep
 * a client's session, which a transaction pooler does not.
 */
export function preparedStatements(connections: Connections): PreparedConnections {
  const statements = new Statements()
  return {
    connect: async (onRelease) => new PreparedClient(await connections.connect(), statements, onRelease),
    end: () => connections.end(),
  }
}

export interface PreparedConnections extends PostgresPool {
  /** @param onRelease runs when the connection is given back */
  connect(onRelease?: () => void): Promise<PreparedClient>
}

/**
 * Names a statement at its second use. All names begin anew, on new connections, if one is outdated or there are too
 * many.
 */
class Statements {
  readonly #names = new Map<string, string>()
  readonly #once = new Set<string>()
  readonly #generations = new WeakMap<pg.PoolClient, number>()
  generation = 0

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (!this.#once.delete(text)) {
      if (this.#once.size === MOST_KEPT) this.#once.clear()
      this.#once.add(text)
      return undefined
    }
    if (this.#names.size === MOST_KEPT) this.beginAnew()
    // The name follows from the text: no name ever means another statement.
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    this.#names.set(text, name)
    return name
  }

  beginAnew(): void {
    this.#names.clear()
    this.generation += 1
  }

  /** The generation of names in which a connection was first lent. */
  generationOf(client: pg.PoolClient): number {
    const generation = this.#generations.get(client) ?? this.generation
    this.#generations.set(client, generation)
    return generation
  }
}

/** A connection that is lent. */
export class PreparedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #statements: Statements
  readonly #generation: number
  readonly #onRelease: (() => void) | undefined
  #isLost = false

  constructor(client: pg.PoolClient, statements: Statements, onRelease?: () => void) {
    this.#client = client
    this.#onRelease = onRelease
    this.#statements = statements
    this.#generation = statements.generationOf(client)
  }

  /** The connection may hold statements of former names. */
  get #isOld(): boolean {
    return this.#generation < this.#statements.generation
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('nothing is read through a cursor')
    return this.#current(() => this.#client.query({ ...this.#named({ text, values }), values: [...values] }))
  }

  /** Runs statements in one round trip; see `sendTogether`. */
  runTogether(statements: readonly Statement[]): Promise<pg.QueryResult[]> {
    return this.#current(() =>
      sendTogether(
        this.#client,
        statements.map((one) => this.#named(one)),
      ),
    )
  }

  #named(statement: Statement): Statement {
    const { text, values } = statement
    const isKept = values.length > 0 && values.length <= MOST_PARAMETERS && !this.#isOld
    return isKept && statement.name === undefined ? { ...statement, name: this.#statements.nameOf(text) } : statement
  }

  async #current<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    try {
      return await run()
    } catch (error) {
      this.#isLost ||= !isOfStatement(error)
      if (!isOutdated(error)) throw error
      this.#statements.beginAnew()
      throw new ApiError('unavailable', 'The database has just been changed; try again', { cause: error })
    }
  }

  /** Tells whether a transaction was open when the server was last ready for another statement. */
  get #isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I'
  }

  /** A connection that is lost, is in a transaction that nobody will end, or has former statements is not lent again. */
  release(): void {
    this.#client.release(this.#isLost || this.#isInTransaction || this.#isOld)
    this.#onRelease?.()
  }
}

/** Tells whether a statement failed, and not the connection. */
const isOfStatement = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR'

const NO_SUCH_STATEMENT = '26000'

/**
 * A table was changed while the service ran, and the statement would answer with other columns than it did; or the
 * statement is gone.
 */
const isOutdated = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === NO_SUCH_STATEMENT || (error.code === '0A000' && error.routine === 'RevalidateCachedQuery'))
