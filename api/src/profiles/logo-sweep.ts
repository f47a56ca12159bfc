import './profile.tables.js'
import { sql } from 'kysely'
import type { Sweep } from '../platform/sweeps/sweep.js'

/**
 * The columns that hold addresses of logos, with the rows that count: rows of the past too, since a page can be shown
 * as of then. Refused rows were never shown.
 */
const NAMED: Record<string, string> = {
  'profiles.logo_url': 'true',
  'participants.logo_url': `state <> 'failed'`,
  'participant_names.logo_url': 'true',
  'trust_registry_versions.logo_url': `state <> 'failed'`,
}
/** The same columns, and that of the copies of logos on other hosts. */
export const LOGO_REFERENCES: Record<string, string> = { ...NAMED, 'logo_copies.logo': 'logo is not null' }

const columnOf = (place: string) => sql.ref(place.split('.')[1] ?? '')
const from = (place: string, counts: string) =>
  sql`from ${sql.table(place.split('.')[0] ?? '')} where ${sql.raw(counts)}`

const DAY_MS = 86_400_000

/** Forgets images that nothing refers to, a day after they were stored last. */
export const sweepLogos: Sweep = async ({ db, clock }) => {
  const references = Object.entries(LOGO_REFERENCES).map(
    ([place, counts]) => sql`select right(${columnOf(place)}, 64) as sha256 ${from(place, counts)}`,
  )
  const names = Object.entries(NAMED).map(
    ([place, counts]) => sql`select ${columnOf(place)} as url ${from(place, counts)}`,
  )
  const before = new Date(clock.now().getTime() - DAY_MS)
  await db.transaction('system', (tx) =>
    sql`delete from logo_copies c where not exists (
      select from (${sql.join(names, sql` union all `)}) n where n.url = c.url)`.execute(tx),
  )
  await db.transaction('system', (tx) =>
    sql`delete from logos l where l.created <= ${before}::timestamptz
      and not exists (select from (${sql.join(references, sql` union all `)}) r where r.sha256 = l.sha256)`.execute(tx),
  )
}
