import './data.tables.js'
import { sql } from 'kysely'
import { forgetPerson } from '../accounts/people/forget-person.store.js'
import { beginDeletion } from '../accounts/teams/close-team.store.js'
import type { Tx } from '../platform/database/database.js'
import type { Environment } from '../platform/http/context.js'
import { type JournalEntry, readJournal } from '../platform/process/erasure-journal.js'

type Needs = Pick<Environment, 'db' | 'clock' | 'deriveKey' | 'config' | 'log'>

/**
 * Begins again what the journal tells and this database does not know of: it is a copy from before. What is in it
 * already, or about teams and people that it never had, changes nothing.
 */
export async function applyJournal(environment: Needs): Promise<void> {
  const { db, config, log } = environment
  let begun = 0
  for (const entry of await readJournal(config.erasureJournalFile))
    if (await db.transaction('system', (tx) => applyEntry(tx, environment, entry))) begun += 1
  if (begun > 0) log.warn({ begun }, 'the database is older than its erasure journal: what it forgot is erased again')
}

async function applyEntry(tx: Tx, environment: Needs, entry: JournalEntry): Promise<boolean> {
  if ('person' in entry) {
    const person = await tx.selectFrom('users').select(['id', 'email']).where(isIt(entry.person)).executeTakeFirst()
    if (person) await forgetPerson(tx, environment, person)
    return person !== undefined
  }
  const isDeletion = 'deletion' in entry
  const known = isDeletion ? entry.deletion : entry.erasure
  const table = isDeletion ? 'deletions' : 'erasures'
  const isKnown = await tx.selectFrom(table).select('id').where('id', '=', entry.id).executeTakeFirst()
  const team = await tx.selectFrom('teams').select('id').where(isIt(known)).executeTakeFirst()
  if (isKnown || !team) return false
  if (isDeletion) await beginDeletion(tx, { id: entry.id, team: team.id, now: environment.clock.now() })
  else
    await tx
      .insertInto('erasures')
      .values({
        id: entry.id,
        team_id: team.id,
        started: entry.at,
        marks: entry.erasure.marks.map((mark) => Buffer.from(mark, 'hex')),
      })
      .execute()
  return true
}

const isIt = ({ number, created }: { number: number; created: string }) =>
  sql<boolean>`id = ${number} and date_trunc('milliseconds', created) = ${created}::timestamptz`
