import { type RawBuilder, sql } from 'kysely'
import { eraseOutcomes } from '../../credentials/batch/erase-rows.js'
import { eraseMails } from '../../credentials/delivery/erase-mails.js'
import type { Tx } from '../../platform/database/database.js'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import { addCount, type Erasure, type Needs } from './erasure.store.js'

const AT_ONCE = 1000

type Erasing = (tx: Tx, needs: Needs, erasure: Erasure) => Promise<number>

const changed = (table: string, change: RawBuilder<unknown>): Erasing => {
  const name = sql.table(`service.${table}`)
  return async (tx, _needs, { team_id, marks }) => {
    const { rows } = await sql<{ count: number }>`with gone as (${change} where ctid = any(array(
        select k.ctid from ${name} k where k.team_id = ${team_id} and k.marks && ${marks}::bytea[] limit ${AT_ONCE}))
      returning 1) select count(*)::int as count from gone`.execute(tx)
    return rows[0]?.count ?? 0
  }
}

const deleted = (table: string): Erasing => changed(table, sql`delete from ${sql.table(`service.${table}`)}`)

/** The tables of whose rows more hangs on than what they say. Rows of all others are deleted. */
const OF_THEIR_OWN: Readonly<Record<string, Erasing>> = {
  // A retry of the request still does nothing a second time, and hears that the answer is not shown again.
  idempotency_keys: changed(
    'idempotency_keys',
    sql`update service.idempotency_keys set sealed = null, marks = null, state = 'secret'`,
  ),
  // The batch counts its rows.
  credential_batch_rows: (tx, needs, { team_id, marks }) => eraseOutcomes(tx, needs, { team: team_id, marks }),
  // Each has a job, which ends.
  credential_mails: (tx, _needs, { team_id, marks }) => eraseMails(tx, { team: team_id, marks }),
}

/** The tables that carry marks, but for credentials: what is found there finds more, and goes first. */
const MARKED: readonly string[] = Object.entries(KEPT_DATA).flatMap(([table, { erasure }]) =>
  erasure?.by === 'marks' && table !== 'credentials' ? [table] : [],
)

/** Erases some rows of the first table that has some. @returns whether there were any */
export async function eraseByMarks(needs: Needs, erasure: Erasure): Promise<boolean> {
  for (const table of MARKED) {
    const erase = OF_THEIR_OWN[table] ?? deleted(table)
    const count = await needs.db.transaction('system', async (tx) => {
      const erased = await erase(tx, needs, erasure)
      if (erased > 0) await addCount(tx, erasure, table, erased)
      return erased
    })
    if (count > 0) return true
  }
  return false
}
