import { sql } from 'kysely'
import pg from 'pg'
import type { Clock } from '../process/clock.js'
import { appendToJournal, type JournalEntry } from '../process/erasure-journal.js'
import type { Tx } from './database.js'

interface Needs {
  config: { readonly erasureJournalFile: string | undefined }
  clock: Clock
}
type OfLine = { undone: true } | { stands: true }
type Told<Entry> = Entry extends OfLine ? never : Omit<Entry, 'at' | 'transaction'>
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
        if ((await statesOf(other, [transaction.id])).get(transaction.id) !== 'aborted') return
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

/**
 * Asks this database what became of lines of its own. Returns what to add to the journal while it is held: which lines were
 * undone, and which this database has not come to, since its files were put back to before them. It will give their numbers
 * to others, and is not asked about them again.
 */
export async function toldOfLines(
  tx: Tx,
  { clock }: Pick<Needs, 'clock'>,
  entries: readonly JournalEntry[],
): Promise<JournalEntry[]> {
  const here = (await historyOfDatabase(tx))?.database
  const known = new Set(entries.flatMap((entry) => (isOfLine(entry) ? [nameOf(entry)] : [])))
  const asked = entries.flatMap((entry) => {
    const { id, transaction } = entry
    return here !== undefined && transaction?.database === here && !known.has(nameOf(entry))
      ? [{ id, transaction }]
      : []
  })
  const states = await statesOf(
    tx,
    asked.map(({ transaction }) => transaction.id),
  )
  const at = clock.now().toISOString()
  return asked.flatMap(({ id, transaction }): JournalEntry[] => {
    const state = states.get(transaction.id)
    if (state === 'aborted') return [{ id, at, transaction, undone: true }]
    return state === 'not begun' ? [{ id, at, transaction, stands: true }] : []
  })
}

export type EntryThatCounts = Exclude<JournalEntry, OfLine>

/** Returns the lines that count: none that another one tells was undone, nor those about others. */
export function entriesThatCount(entries: readonly JournalEntry[]): EntryThatCounts[] {
  const undone = new Set(entries.flatMap((entry) => ('undone' in entry ? [nameOf(entry)] : [])))
  return entries.flatMap((entry) => (isOfLine(entry) || undone.has(nameOf(entry)) ? [] : [entry]))
}

/** Returns the lines of a time or later, each with those about it: another host's clock may have told their times. */
export function entriesSince(entries: readonly JournalEntry[], since: number): JournalEntry[] {
  const isLater = ({ at }: JournalEntry) => !(Date.parse(at) < since)
  const later = new Set(entries.flatMap((entry) => (!isOfLine(entry) && isLater(entry) ? [nameOf(entry)] : [])))
  return entries.filter((entry) => isLater(entry) || (isOfLine(entry) && later.has(nameOf(entry))))
}

const isOfLine = (entry: JournalEntry): entry is Extract<JournalEntry, OfLine> => 'undone' in entry || 'stands' in entry

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

/** Returns how transactions ended that Postgres has not forgotten. */
async function statesOf(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; state: string }>`
    select id, case when id::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status(id::xid8) else 'not begun' end as state
    from unnest(${[...new Set(ids)]}::text[]) as t (id)`.execute(tx)
  return new Map(rows.map(({ id, state }) => [id, state]))
}
