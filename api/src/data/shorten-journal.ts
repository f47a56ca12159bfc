import { sql } from 'kysely'
import { entriesSince, holdJournal } from '../platform/database/tell-journal.js'
import type { Environment } from '../platform/http/context.js'
import { shortenTo } from '../platform/process/erasure-journal.js'

const DAY_MS = 86_400_000

/**
 * Takes lines out of the journal that are older than any copy of the database that may be restored
 * (`ERASURE_JOURNAL_DAYS`). This database has had them applied.
 *
 * @returns how many
 */
export async function shortenJournal({
  db,
  config,
  clock,
}: Pick<Environment, 'db' | 'config' | 'clock'>): Promise<number> {
  const { erasureJournalFile: file, erasureJournalDays: days } = config
  if (file === undefined || days === 0) return 0
  return db.transaction('system', async (tx) => {
    await holdJournal(tx)
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(tx)
    // A host whose clock is years ahead takes nothing out.
    const now = Math.min(clock.now().getTime(), ...rows.map((row) => row.now.getTime()))
    const since = now - days * DAY_MS
    return shortenTo(
      file,
      (entries) => entriesSince(entries, since),
      () => holdJournal(tx),
    )
  })
}
