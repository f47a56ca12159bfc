import '../data.tables.js'
import { sql } from 'kysely'
import type { Database } from '../../platform/database/database.js'
import { KEPT_DATA, POLICIES, type Retention } from '../../platform/database/kept-data.js'
import type { Sweep } from '../../platform/sweeps/sweep.js'
import { type TableShape, tableShapes } from '../table-shapes.js'
import { type End, endOfRows } from './end-of-row.js'

/** The rows that a statement deletes: it locks nobody out for long. */
const AT_ONCE = 1000

const retentionOf: ReadonlyMap<string, Retention> = new Map(
  Object.entries(KEPT_DATA).map(([table, { retention }]) => [table, retention]),
)

/** Deletes the rows of every table whose time is over, and counts them for the report of their team. */
export const sweepKeptData: Sweep = async ({ db, clock }) => {
  const now = clock.now()
  for (const shape of await db.read('system', (reader) => tableShapes(db, reader))) {
    const retention = retentionOf.get(shape.table)
    const end = retention && endOfRows(retention, now)
    if (end !== undefined) await sweepTable(db, shape, end, now)
  }
}

async function sweepTable(db: Database, shape: TableShape, end: End, now: Date): Promise<void> {
  for (;;) {
    const gone = await db.transaction('system', async (tx) => {
      const { rows } = await statement(shape, end, now).execute(tx)
      return rows[0]?.gone ?? 0
    })
    if (gone < AT_ONCE) return
  }
}

/**
 * Deletes some rows, and counts them by team and day in the same statement. A team is told of the first that go on a day by
 * a policy of its own.
 */
function statement({ table, columns }: TableShape, { policy, isOver }: End, now: Date) {
  const name = sql.table(`service.${table}`)
  const day = sql`date_trunc('day', ${now}::timestamptz, 'UTC')`
  // The report does not tell of its own end.
  const isTold = columns.has('team_id') && table !== 'swept_rows'
  const team = isTold ? sql`team_id` : sql`null::bigint as team_id`
  return sql<{ gone: number }>`
    with gone as (
      delete from ${name} where ctid = any(array(
        select k.ctid from ${name} k where ${isOver} limit ${AT_ONCE} for update of k skip locked))
      returning ${team}),
    counted as (
      insert into service.swept_rows as s (team_id, day, kind, policy, rows)
        select team_id, ${day}, ${table}, ${policy}, count(*) from gone where team_id is not null group by team_id
      on conflict (team_id, day, kind, policy) do update set rows = s.rows + excluded.rows
      returning s.team_id, s.kind, s.policy, xmax = 0 as is_first),
    told as (
      insert into service.notifications (team_id, type, data, created)
        select team_id, 'retention_report', jsonb_build_object('kind', kind, 'policy', policy, 'day', ${day}), ${now}
        from counted where is_first and policy = any(${[...POLICIES]}::text[]))
    select count(*)::int as gone from gone`
}
