import './mail.tables.js'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { dropMail } from './mail.store.js'

const AT_ONCE = 250

/** Takes back mails that are about something with one of the marks, or go to it; their jobs end. @returns how many */
export async function eraseMails(tx: Tx, { team, marks }: { team: TeamId; marks: readonly Buffer[] }): Promise<number> {
  const { rows } = await sql<{ job_id: string }>`select job_id from service.credential_mails
    where team_id = ${team} and marks && ${[...marks]}::bytea[] limit ${AT_ONCE} for update`.execute(tx)
  const result = { type: 'gone', message: 'The credential was erased before it was sent' }
  for (const { job_id } of rows) await dropMail(tx, job_id, result)
  return rows.length
}
