import {
  type Generated,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresQueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import pg from 'pg'
import { SetupError } from './errors.js'
import type { Randomness } from './randomness.js'
import type { Action, HeldKind, Outcome, State } from './wire.js'

export interface DataKeysTable {
  id: string
  wrapped: Buffer
  master_key_id: string
}

export interface KeysTable {
  key_ref: string
  handle: string
  position: number
  kind: HeldKind
  public_key: Buffer
  /** Null once destroyed. */
  sealed: Buffer | null
  data_key_id: string
  is_bound: Generated<boolean>
  created_at: Date
  /** Null while it signs; a retired key only checks what it made. */
  retired_at: Date | null
  destroyed_at: Date | null
}

export interface FeeAccountsTable {
  address: string
  public_key: Buffer
  sealed: Buffer
  data_key_id: string
}

export interface ActionsTable {
  id: string
  /** Order of arrival. */
  ordinal: Generated<number>
  did: string
  sequence: number
  /** The share: its actions take turns with others; null: the DID is its own share. */
  share: string | null
  /** The trace that it belongs to, as a W3C traceparent. */
  trace: Generated<string | null>
  /** The approximate bytes of the action in an extrinsic. */
  size: Generated<number>
  content: ColumnJson<Action>
  content_hash: Buffer
  state: Generated<State>
  /** The authorisation and the call around it, kept from signing on; null again when it is void. */
  nonce: number | null
  call_hash: Buffer | null
  valid_until: number | null
  transaction_version: number | null
  encoded_tx: Buffer | null
  /** The one extrinsic that carries it now, and the place in it. */
  extrinsic_id: number | null
  position: number | null
  /** True when it has to travel alone, because a batch with it was too heavy. */
  is_solo: Generated<boolean>
  outcome: ColumnJson<Outcome> | null
  updated_at: Date
}
/** The value is written as JSON text, and read as the value. */
type ColumnJson<T> = import('kysely').ColumnType<T, string, string>

export interface ExtrinsicsTable {
  id: Generated<number>
  hash: Buffer
  account: string
  nonce: number
  /** Null when it is settled. */
  bytes: Buffer | null
  spec_version: number
  /** The first block that can no longer hold it. */
  dies_at: number
  state: Generated<'pending' | 'final' | 'dead'>
  created_at: Date
}

export interface LedgerTable {
  genesis_hash: Buffer
  /** The newest final block whose events are applied. */
  height: number
  hash: Buffer
}

export interface LeaseTable {
  epoch: number
}

export interface AuditTable {
  id: Generated<number>
  at: Date
  capability: string
  operation: string
  /** Key references, handles or action ids; never bytes. */
  subjects: string[]
  outcome: string
}

export interface Database {
  data_keys: DataKeysTable
  keys: KeysTable
  fee_accounts: FeeAccountsTable
  actions: ActionsTable
  extrinsics: ExtrinsicsTable
  ledger: LedgerTable
  lease: LeaseTable
  audit: AuditTable
}

export type Db = Kysely<Database>

/** Heights, nonces and ordinals are far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
}

export interface OpenDatabase {
  db: Db
  /**
   * The same database, whose commits do not wait for the disk. A server that crashes before the next commit of `db`
   * loses them; that commit takes everything before it to the disk as well. Only for facts that nobody is told before
   * it.
   */
  unsynced: Db
  pool: pg.Pool
  /** The server's name for the connections of this process, and of no other. */
  name: string
  close(): Promise<void>
}

export function openDatabase(databaseUrl: string, random: Randomness): OpenDatabase {
  const name = `accredit-signer ${Buffer.from(random(8)).toString('hex')}`
  const connection = { connectionString: databaseUrl, types, application_name: name }
  const pool = new pg.Pool({ ...connection, max: 10, options: noCompiling })
  const [root, unsynced] = [
    openPool(pool),
    // Users of this pool make one statement after the other.
    openPool(new pg.Pool({ ...connection, max: 3, options: `${noCompiling} -c synchronous_commit=off` })),
  ]
  const close = async () => {
    await Promise.all([root.destroy(), unsynced.destroy()])
  }
  return { db: root.withSchema('signer'), unsynced: unsynced.withSchema('signer'), pool, name, close }
}

/** Every statement is short: its compilation takes longer than its run. */
const noCompiling = '-c jit=off'

function openPool(pool: pg.Pool): Db {
  // A broken connection is replaced at the next use and its query fails; without listeners it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: preparing(pool) }) })
}

/** The most parameters of a statement that is prepared: those for any number of rows have as many texts. */
const mostParameters = 20
/** More texts than there are; the ones past it are parsed and planned each time. */
const mostPrepared = 200

/** Lends connections that parse and plan a statement once, and not each time it comes. */
function preparing(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>()
  function nameOf(text: string): string | undefined {
    const known = names.get(text)
    if (known !== undefined || names.size === mostPrepared) return known
    const name = `signer_${names.size}`
    names.set(text, name)
    return name
  }

  return {
    async connect() {
      const client = await pool.connect()
      function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>
      function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
      function query(text: unknown, given: readonly unknown[] = []): unknown {
        if (typeof text !== 'string') throw new TypeError('Nothing is read through a cursor.')
        const values = [...given]
        const name = values.length > 0 && values.length <= mostParameters ? nameOf(text) : undefined
        return name === undefined ? client.query(text, values) : client.query({ name, text, values })
      }
      return { query, release: () => client.release() }
    },
    end: () => pool.end(),
  }
}

/** The values as one parameter: statements for any number of them have one text. */
export const anyOf = (values: readonly string[]) => sql<string>`any(${[...values]}::text[])`

const uniqueViolation = '23505'

/** Tells whether a row could not be stored since another one has its place. */
export const isTaken = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === uniqueViolation

/** The signer that took the lease after this one is the only one that may write now. */
export class LostLease extends SetupError {}

/**
 * The one way to write states: it goes on after `with held as (…),` and its changes take their rows from `held`, which
 * is empty unless this signer's epoch is the current one. One statement is one transaction and one round trip. It
 * returns one row where `held` has one.
 */
export type FencedWrite = <Row>(rest: RawBuilder<Row>) => Promise<Row>

export function fencedBy(db: Db, epoch: number): FencedWrite {
  return async <Row>(rest: RawBuilder<Row>) => {
    const { rows } = await sql<Row>`
      with held as (select epoch from signer.lease where epoch = ${epoch} for share), ${rest}`.execute(db)
    const [row] = rows
    if (row === undefined) throw new LostLease('Another signer has taken over this database.')
    return row
  }
}
