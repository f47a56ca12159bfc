import { sql } from 'kysely'
import type { Database, Tx } from '../platform/database/database.js'

/** Does a part of what a journal tells, which fails where somebody holds for two seconds what it needs. */
export const inAPart = <T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction('system', async (tx) => {
    await sql`select set_config('lock_timeout', '2s', true)`.execute(tx)
    return work(tx)
  })
