import type { CompiledQuery, Kysely, RawBuilder } from 'kysely'
import type { BilledKind } from './billing.js'
import type { TeamId } from './ids.js'
import type { NotificationType } from './notifications.js'
import type { OutgoingEvent } from './outgoing-events.js'
import type { JsonObject, ServiceTables } from './tables.js'

/** The teams whose rows a transaction may see, and who acts, for the audit. */
export interface TeamScope {
  readonly teams: readonly [TeamId, ...TeamId[]]
  readonly actor: string
  readonly requestId?: string
  /** The address that the request came from. */
  readonly address?: string
  /** The trace of the request, a W3C `traceparent`. */
  readonly trace?: string | undefined
  /** The claim of a request with an Idempotency-Key: its effects and its answer are stored in the same transaction. */
  readonly idempotency?: IdempotencyScope
}
export type Scope = TeamScope | 'system' | 'public'

export interface IdempotencyScope {
  /**
   * Runs at the end of a transaction, and marks that it changed something. The transaction fails when another attempt
   * holds the request now.
   */
  acted(tx: Tx): void
  /** @param about the ids of credentials and subjects that the answer is about, beside those that it shows as ids */
  answered(tx: Tx, body: unknown, about?: readonly string[]): void
  /** Runs when that transaction has committed. */
  committed(tx: Reader): void
}

/** The members that a change is about. No secrets, and no personal data but what deletion and erasure reach in the audit. */
type Change =
  | { before: JsonObject; after?: JsonObject }
  | { before?: undefined; after: JsonObject }
  /** Why there are none: it tells something, or has something sent, and changes nothing that is kept. */
  | { before?: undefined; after?: undefined; changes: 'nothing' }

type AuditEntry = Change & {
  /** The id of the operation: `createProfile`. */
  action: string
  /** The id of the thing that it changed. */
  subject?: string
  /** Further facts: ids and plain facts only, no secrets, no personal data. */
  detail?: Record<string, unknown>
  /** The actor, where the scope does not tell one. */
  by?: Pick<TeamScope, 'actor' | 'address' | 'requestId'>
  /** The team whose audit it is; default: the scope's. */
  team?: TeamId
}

export interface TxTools {
  readonly scope: Scope
  /**
   * Returns the trace that its work belongs to: that of the request that it acts for, since requests of one moment are
   * stored by one of them; without one, that of the span around the caller.
   */
  trace(): string | null
  /**
   * Runs a statement that needs no answer, together with the next one that is waited for, or with the commit: one round
   * trip for all of them. They keep their order. The transaction fails if one of them does.
   */
  defer(statement: Deferrable): void
  /** Does the same with one that has to return a row: where there is none, the transaction fails with `otherwise`. */
  require(statement: RawBuilder<unknown>, otherwise: Error): void
  /** Waits for what was deferred: what fails of it fails here, before something outside of the transaction is done. */
  settled(): Promise<void>
  /**
   * The same transaction for another request of the same teams: what is written through it is that request's, its audit
   * rows and its answer.
   */
  onBehalfOf(scope: TeamScope): Tx
  /** Lets what follows see the rows of further teams: those that it found to be under its own. */
  alsoSees(teams: readonly TeamId[]): void
  /** Runs work whose failure takes nothing else of the transaction with it. */
  inSavepoint<T>(run: () => Promise<T>): Promise<T>
  /** Writes the audit row of this change, in its transaction. */
  audit(entry: AuditEntry): Promise<void>
  /**
   * Stores an event, sealed, for delivery to the team's web hooks.
   *
   * @param resource the id of the thing that it is about: events of one thing are delivered in their order
   */
  emit(event: string, data: Record<string, unknown>, team?: TeamId, resource?: string): Promise<void>
  /** Stores many at once. */
  emitAll(events: readonly OutgoingEvent[]): Promise<void>
  /** Tells the people of a team, in their list of notifications. */
  notify(type: NotificationType, data: JsonObject, team?: TeamId): void
  /**
   * Counts a transaction of the plan of a team, once this one commits; `reserve` does so for ledger actions that are put
   * on their way, and counted when they are final. The commit fails with 402 where the plan has no place left. In a
   * sandbox nothing is counted.
   */
  bill(kind: BilledKind | 'reserve', team?: TeamId): void
  /**
   * Stores `body` as the answer to this request's Idempotency-Key in this very transaction, and returns it: after a
   * crash the caller's retry is answered from here. Does nothing without such a key.
   *
   * @param about ids of credentials and subjects in it that cannot be read from it, as in a token
   */
  answer<T>(body: T, about?: readonly string[]): Promise<T>
  /** Runs when the transaction has committed; must not throw. */
  afterCommit(run: () => void): void
  /**
   * Runs when the transaction has failed, or when nobody heard whether it committed, before its caller hears of it; must
   * not throw. Its connection is given back by then.
   */
  afterFailure(run: (db: Database) => Promise<void>): void
}

/** A statement as Postgres gets it. */
export type SentStatement = Pick<CompiledQuery, 'sql' | 'parameters'>

export interface Deferrable {
  compile(): SentStatement
}

/** The parameter of stores that only read; every `Tx` is one. */
export type Reader = Kysely<ServiceTables>
export type Tx = Reader & TxTools

export interface Database {
  /**
   * Runs one read-write transaction, its rows limited to `scope` by row-level security. Rolls back when `run` throws.
   * Never call it inside another one, or a read, of the same database: with two connections each, a few callers could
   * stop everybody. Tests, commands and dry runs throw there (`refusesNested`).
   *
   * @param kind by key: where each of its statements finds its rows by a key, and it comes often (see `PLANNED_ONCE`)
   */
  transaction<T>(scope: Scope, run: (tx: Tx) => Promise<T>, kind?: 'writes' | 'writes by key'): Promise<T>
  /** The same, read only. */
  read<T>(scope: Scope, run: (reader: Reader) => Promise<T>, kind?: 'reads' | 'reads by key'): Promise<T>
  /**
   * Reads everything as it was at one moment, also through cursors. It holds a connection, and keeps the database from
   * clearing away, as long as `run` takes: never wait for a client in it.
   */
  snapshot<T>(scope: Scope, run: (reader: Reader) => Promise<T>): Promise<T>
  /**
   * Lets `run` read and write through a database of which nothing remains: one transaction, rolled back at its end. All
   * readers but the system see its writes; nothing runs after a commit, since there is none.
   */
  dryRun<T>(scope: TeamScope, run: (db: Database) => Promise<T>): Promise<T>
  /** Runs one statement as the system, without a transaction around it: a function that guards itself. */
  call<T>(statement: RawBuilder<T>): Promise<readonly T[]>
  close(): Promise<void>
}
