import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.js'
import { NO_PLACE } from './billing.js'
import type { Reader, Scope, SentStatement } from './database.js'
import { type AuditRow, type EventRow, insertAudit, insertOutgoingEvents } from './insert-rows.js'
import type { Statement } from './pipeline.js'
import { PLANNED_ONCE } from './pool.js'
import type { PreparedClient } from './prepared-statements.js'
import type { ServiceTables } from './tables.js'

const kept = (text: string): Statement => ({ text, values: [], name: text })

const BEGIN = kept('begin')
const BEGIN_SNAPSHOT = kept('begin isolation level repeatable read read only')
const COMMIT = kept('commit')
const ROLLBACK = kept('rollback')

const SAVEPOINT = sql`savepoint before_work`
const RELEASE = sql`release savepoint before_work`
const ROLL_BACK = sql`rollback to savepoint before_work`

const SETTINGS = `select set_config('accredit.teams', $1, true), set_config('accredit.scope', $2, true)`
const READ_ONLY = `${SETTINGS}, set_config('transaction_read_only', 'on', true)`

const BY_KEY = `set_config('plan_cache_mode', '${PLANNED_ONCE}', true)`

const SETTINGS_OF: Readonly<Record<SessionKind, string>> = {
  reads: READ_ONLY,
  'reads by key': `${READ_ONLY}, ${BY_KEY}`,
  snapshot: READ_ONLY,
  writes: SETTINGS,
  'writes by key': `${SETTINGS}, ${BY_KEY}`,
}

/** Limits what follows in a transaction to the rows of a scope. */
function limitedTo(scope: Scope, kind: SessionKind): Statement {
  const isTeam = typeof scope === 'object'
  return { text: SETTINGS_OF[kind], values: [isTeam ? scope.teams.map(Number).join(',') : '', isTeam ? 'team' : scope] }
}

interface Waiting {
  statement: Statement
  /** Absent for a statement that nobody waits for. */
  answer?: { resolve(result: pg.QueryResult): void; reject(error: unknown): void }
}

/**
 * A snapshot is a read whose statements all see the database as it was at the first of them. Those by key have their
 * statements planned once: see `PLANNED_ONCE`.
 */
export type SessionKind = 'reads' | 'reads by key' | 'snapshot' | 'writes' | 'writes by key'

/**
 * One read, or one transaction, on a connection. Statements that are asked in the same turn, as by `Promise.all`, leave in
 * one write. What needs no answer is deferred: it leaves with the next statement that does, or with the commit. A
 * transaction begins with the first answer that is waited for; one that waits for none is a single round trip.
 */
export class Session implements DatabaseConnection {
  readonly reader: Reader
  readonly #client: PreparedClient
  readonly #kind: SessionKind
  #limits: Statement
  readonly #requirements: Error[] = []
  #rows = noRows()
  #waiting: Waiting[] = []
  #sending: Promise<void> | undefined
  #isOpen = false
  #hasEnded = false
  /** The failure of its begin: nothing more is done in it. */
  #failure: { reason: unknown } | undefined

  constructor(client: PreparedClient, scope: Scope, kind: SessionKind) {
    this.#client = client
    this.#kind = kind
    this.#limits = limitedTo(scope, kind)
    this.reader = kyselyOver(this)
  }

  /** Returns another reader of the same transaction. */
  newReader(): Reader {
    return kyselyOver(this)
  }

  async executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await new Promise<pg.QueryResult>((resolve, reject) => {
      this.#add({ statement: { text, values: parameters }, answer: { resolve, reject } })
      // Everybody who asks in this turn has asked by then.
      this.#sending ??= new Promise(process.nextTick).then(() => this.#send())
    })
    return { rows, ...(CHANGES.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  // biome-ignore lint/correctness/useYield: a connection has to have it
  async *streamQuery(): AsyncGenerator<never> {
    throw new TypeError('nothing is read through a cursor')
  }

  /** Its failure is that of the next statement that is waited for, or of the commit. */
  defer({ sql: text, parameters }: SentStatement): void {
    this.#add({ statement: { text, values: parameters } })
  }

  /** Defers rows: those of a table that no statement comes between leave in one insert. */
  deferRows({ audit = [], outgoing_events = [] }: Partial<DeferredRows>): void {
    this.#requireOpen()
    this.#rows.audit.push(...audit)
    this.#rows.outgoing_events.push(...outgoing_events)
  }

  /** Defers a statement that has to return a row. @param otherwise what the transaction fails with when there is none */
  require(statement: RawBuilder<unknown>, otherwise: Error): void {
    const number = String(this.#requirements.push(otherwise) - 1)
    const text = sql`with required as (${statement}) select service.require(exists (select from required), ${number})`
    this.defer(text.compile(compiling))
  }

  /** Waits for all that was asked or deferred. */
  async settle(): Promise<void> {
    await this.#sending
    this.#addRows()
    if (this.#waiting.length > 0) await this.#flush()
  }

  /** Runs work whose failure takes nothing else of the transaction with it. */
  async inSavepoint<T>(run: () => Promise<T>): Promise<T> {
    await SAVEPOINT.execute(this.reader)
    try {
      const value = await run()
      // Deferred statements of the work fail here at the latest.
      await RELEASE.execute(this.reader)
      return value
    } catch (error) {
      // A deferred statement that fails too would keep what comes after it from being carried out.
      await this.settle().catch(() => undefined)
      await ROLL_BACK.execute(this.reader)
      throw error
    }
  }

  /** Limits what follows to another scope. */
  limitTo(scope: Scope): void {
    const limits = limitedTo(scope, this.#kind)
    if (this.#isOpen) this.#add({ statement: limits })
    else this.#limits = limits
  }

  /** @throws when anything of the transaction failed: then nothing of it is stored */
  async commit(): Promise<void> {
    await this.#sending
    this.#addRows()
    this.#requireOpen()
    this.#hasEnded = true
    const rest = this.#waiting.map(({ statement }) => statement)
    if (!this.#isOpen) {
      if (rest.length > 0) await this.#run([this.#limits, ...rest])
      return
    }
    const results = await this.#run([...rest, COMMIT])
    this.#isOpen = false
    // This is how Postgres answers the commit of a transaction in which something failed, if its failure was caught.
    if (results.at(-1)?.command !== 'COMMIT')
      throw new Error('a statement of the transaction failed: nothing is stored')
  }

  /** Gives the connection back; what is not committed is undone. */
  async release(): Promise<void> {
    await this.#sending
    this.#hasEnded = true
    // A connection on which not even this succeeds is in a transaction still, and not lent again.
    if (this.#isOpen) await this.#client.runTogether([ROLLBACK]).catch(() => undefined)
    this.#client.release()
  }

  #add(waiting: Waiting): void {
    this.#addRows()
    this.#addOne(waiting)
  }

  #addRows(): void {
    const { audit, outgoing_events } = this.#rows
    this.#rows = noRows()
    if (audit.length > 0) this.#addInsert(insertAudit(audit))
    if (outgoing_events.length > 0) this.#addInsert(insertOutgoingEvents(outgoing_events))
  }

  #addInsert({ sql: text, parameters }: SentStatement): void {
    this.#addOne({ statement: { text, values: parameters } })
  }

  #addOne(waiting: Waiting): void {
    this.#requireOpen()
    this.#waiting.push(waiting)
  }

  #requireOpen(): void {
    if (this.#failure) throw this.#failure.reason
    if (this.#hasEnded) throw new Error('the transaction has ended: nothing more can be read in it')
  }

  /** Sends what waits, and then what was asked meanwhile. */
  async #send(): Promise<void> {
    while (this.#waiting.some(({ answer }) => answer)) await this.#flush().catch(() => undefined)
    this.#sending = undefined
  }

  async #flush(): Promise<void> {
    const sent = this.#waiting
    this.#waiting = []
    const before = this.#opening()
    try {
      const results = await this.#run([...before, ...sent.map(({ statement }) => statement)])
      for (const [i, result] of results.slice(before.length).entries()) sent[i]?.answer?.resolve(result)
    } catch (error) {
      // After a begin that failed each statement would stand alone; after a later one nothing could follow either.
      const unsent = this.#isOpen && before.length > 0 ? this.#giveUp(error) : []
      for (const { answer } of [...sent, ...unsent]) answer?.reject(error)
      throw error
    }
  }

  /** Lets nothing more be done in it. @returns what waited to be sent */
  #giveUp(reason: unknown): Waiting[] {
    const unsent = this.#waiting
    this.#failure = { reason }
    this.#waiting = []
    this.#rows = noRows()
    return unsent
  }

  async #run(statements: readonly Statement[]): Promise<pg.QueryResult[]> {
    try {
      return await this.#client.runTogether(statements)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      if (error.code === NO_PLACE) throw new ApiError('limit_reached', error.message, { cause: error })
      throw (error.code === UNMET && this.#requirements[Number(error.message)]) || error
    }
  }

  #opening(): Statement[] {
    // Each round trip of a read is a transaction of its own: it sees what was committed before, as it would in one.
    if (this.#kind === 'reads' || this.#kind === 'reads by key') return [this.#limits]
    if (this.#isOpen) return []
    this.#isOpen = true
    return [this.#kind === 'snapshot' ? BEGIN_SNAPSHOT : BEGIN, this.#limits]
  }
}

interface DeferredRows {
  readonly audit: AuditRow[]
  readonly outgoing_events: EventRow[]
}

const noRows = (): DeferredRows => ({ audit: [], outgoing_events: [] })

/** The SQLSTATE of `service.require`. */
const UNMET = 'AC001'

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

const compiler = new PostgresQueryCompiler()
const adapter = new PostgresAdapter()
const driver = new DummyDriver()
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('its connection is lent already')) })

/** Kysely over one connection; its own one runs a statement after the other. */
const kyselyOver = (connection: DatabaseConnection): Reader =>
  new Kysely<ServiceTables>({
    config: { dialect },
    dialect,
    driver,
    executor: new DefaultQueryExecutor(compiler, adapter, { provideConnection: (consumer) => consumer(connection) }),
  })

const compiling = new Kysely<ServiceTables>({ dialect })
