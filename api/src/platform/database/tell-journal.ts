import { sql } from 'kysely'
import pg from 'pg'
import type { Clock } from '../process/clock.js'
import { appendToJournal, type JournalEntry } from '../process/erasure-journal.js'
import type { Tx } from './database.js'

interface Needs {
  config: { readonly erasureJournalFile: string | undefined }
  clock: Clock
}
type Told<Entry> = Entry extends { undone: true } ? never : Omit<Entry, 'at' | 'transaction'>
type Transaction = NonNullable<JournalEntry['transaction']>

const NAME = sql`hashtextextended('service.erasure_journal', 0)`

/**
 * Tells the journal of what a transaction does. The lines are on the disk before the commit, and so before any answer: no
 * crash loses one that happened. They name the transaction, and the database tells later of one that was undone (the table
 * in `data/README.md` has each case).
 */
export async function tellJournal(tx: Tx, { config, clock }: Needs, all: readonly Told<JournalEntry>[]): Promise<void> {
  const file = config.erasureJournalFile
  if (file === undefined || all.length === 0) return
  // A transaction that has failed by now is not told at all.
  await tx.settled()
  await shareJournal(tx)
  const transaction = await ownTransaction(tx)
  const at = () => clock.now().toISOString()
  if (transaction)
    tx.afterFailure(async (db) => {
      const append = async (other: Tx) => {
        await shareJournal(other)
        if (!(await undoneAmong(other, [transaction.id])).has(transaction.id)) return
        await appendToJournal(
          file,
          all.map(({ id }) => ({ id, at: at(), transaction, undone: true })),
        )
      }
      // The worker does it where the database or the disk does not now.
      await db.transaction('system', append).catch(() => undefined)
    })
  await appendToJournal(
    file,
    all.map(({ id, ...what }) => ({ id, at: at(), ...(transaction && { transaction }), ...what })),
  )
}

/** Adds lines beside others, and while nobody holds the journal. */
const shareJournal = (tx: Tx) => sql`select pg_advisory_xact_lock_shared(${NAME})`.execute(tx)

/**
 * Keeps the journal as it is until the transaction ends: nobody adds a line, and what the lines tell has happened or was
 * undone. Whoever calls it locks nothing else.
 *
 * @throws where one that adds a line takes longer than two seconds: others wait behind this one
 */
export async function holdJournal(tx: Tx): Promise<void> {
  await sql`select set_config('lock_timeout', '2s', true)`.execute(tx)
  await sql`select pg_advisory_xact_lock(${NAME})`.execute(tx)
}

/** Returns those lines whose transactions were undone in this database, and that no line says so of. */
export async function undoneEntries(tx: Tx, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const here = (await historyOfDatabase(tx))?.database
  const told = namesOfUndone(entries)
  const asked = entries.filter(
    (entry) => here !== undefined && entry.transaction?.database === here && !told.has(nameOf(entry)),
  )
  const undone = await undoneAmong(
    tx,
    asked.flatMap(({ transaction }) => transaction?.id ?? []),
  )
  return asked.filter(({ transaction }) => transaction && undone.has(transaction.id))
}

export type EntryThatCounts = Exclude<JournalEntry, { undone: true }>

/** Returns the lines that count: none that another one tells was undone, nor those other ones. */
export function entriesThatCount(entries: readonly JournalEntry[]): EntryThatCounts[] {
  const undone = namesOfUndone(entries)
  return entries.flatMap((entry) => ('undone' in entry || undone.has(nameOf(entry)) ? [] : [entry]))
}

/** Names the lines that others tell were undone. */
const namesOfUndone = (entries: readonly JournalEntry[]): Set<string> =>
  new Set(entries.flatMap((entry) => ('undone' in entry ? [nameOf(entry)] : [])))

const nameOf = ({ id, transaction }: JournalEntry): string =>
  transaction ? [transaction.database, transaction.id, id].join(' ') : ''

async function ownTransaction(tx: Tx): Promise<Transaction | undefined> {
  const history = await historyOfDatabase(tx)
  if (history === undefined) return undefined
  const { database, version } = history
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(tx)
  // A server that crashes before its log has the number on the disk would give the number to another transaction.
  if (version >= FLUSHES) await sql`select pg_logical_emit_message(false, 'accredit', ''::text, true)`.execute(tx)
  return rows.map(({ id }) => ({ database, id }))[0]
}

/** The version of Postgres whose `pg_logical_emit_message` waits for the disk where it is told to. */
const FLUSHES = 170_000

/** The SQLSTATEs of a database that keeps its history to itself: insufficient_privilege, object_not_in_prerequisite_state. */
const WITHHELD = new Set(['42501', '55000'])

/**
 * Returns what tells this history of transactions from all others: the cluster, its timeline, which is another one after
 * a fail-over or a recovery to a point in time, and the database. A copy by `pg_dump` is another database.
 *
 * @returns undefined where Postgres keeps it to itself: nothing that is told there is passed over
 * @throws whatever else it fails with, as a lost connection
 */
async function historyOfDatabase(tx: Tx): Promise<{ database: string; version: number } | undefined> {
  const asked = sql<{ database: string; version: number }>`
    select c.system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || d.oid as database,
      current_setting('server_version_num')::int as version
    from pg_control_system() c, pg_database d where d.datname = current_database()`
  const answer = await tx
    .inSavepoint(() => asked.execute(tx))
    .catch((error: unknown) => {
      if (error instanceof pg.DatabaseError && WITHHELD.has(error.code ?? '')) return undefined
      throw error
    })
  return answer?.rows[0]
}

/** Returns those of these transactions that ended without a commit. One that Postgres has forgotten is none of them. */
async function undoneAmong(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id from unnest(${[...new Set(ids)]}::text[]) as t (id)
    where case when id::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status(id::xid8) end = 'aborted'`.execute(
    tx,
  )
  return new Set(rows.map(({ id }) => id))
}
