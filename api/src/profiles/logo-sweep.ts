import './profile.tables.js'
import { sql } from 'kysely'
import type { Sweep } from '../platform/sweep.js'

/**
 * Columns that hold addresses of logos, and which of their rows count: those of the past too, since a page can be shown as
 * it was. What the ledger refused was never shown.
 */
export const LOGO_REFERENCES: Record<string, string> = {
  'profiles.logo_url': 'true',
  'participants.logo_url': `state <> 'failed'`,
  'participant_names.logo_url': 'true',
  'trust_registry_versions.logo_url': `state <> 'failed'`,
}

const DAY_MS = 86_400_000

/** Forgets images that nothing refers to, a day after they were stored last. */
export const sweepLogos: Sweep = async ({ db, clock }) => {
  const references = Object.entries(LOGO_REFERENCES).map(([place, counts]) => {
    const [table = '', column = ''] = place.split('.')
    return sql`select right(${sql.ref(column)}, 64) as sha256 from ${sql.table(table)} where ${sql.raw(counts)}`
  })
  const before = new Date(clock.now().getTime() - DAY_MS)
  await db.transaction('system', (tx) =>
    sql`delete from logos l where l.created <= ${before}::timestamptz
      and not exists (select from (${sql.join(references, sql` union all `)}) r where r.sha256 = l.sha256)`.execute(tx),
  )
}
