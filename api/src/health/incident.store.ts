import { sql } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import { isExcused, LATE } from '../platform/database/held-teams.js'
import { json } from '../platform/database/tables.js'
import type { Component } from './health.tables.js'

export interface Checked {
  component: Component
  isWell: boolean
}

/** The lock for one worker at a time that notes what it saw. */
const LOCK = 7_302_110
/** The time without a look after which the worker counts as having been down: looks come every 30 seconds. */
const GAP = sql`interval '3 minutes'`

/**
 * Stores what was seen: an incident begins with the first look at which a part is not well, and ends with the first one
 * at which it is. A time in which nobody looked is an incident of the worker.
 */
export async function noteHealth(tx: Tx, seen: readonly Checked[], now: Date): Promise<void> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as mine`.execute(tx)
  if (!rows[0]?.mine) return
  const given = sql`jsonb_to_recordset(${json(seen)}::jsonb) as s (component text, "isWell" boolean)`
  const at = sql`${now}::timestamptz`
  await sql`insert into service.incidents (component, began, ended)
    select 'worker', last.checked, ${at} from (select max(checked) as checked from service.health_checks) last
    where last.checked < ${at} - ${GAP}`.execute(tx)
  await sql`insert into service.incidents (component, began) select s.component, ${at} from ${given} where not s."isWell"
    on conflict (component) where ended is null do nothing`.execute(tx)
  await sql`update service.incidents i set ended = ${at} from ${given}
    where i.component = s.component and i.ended is null and s."isWell"`.execute(tx)
  await sql`insert into service.health_checks (component, is_well, checked)
    select s.component, s."isWell", ${at} from ${given} union all select 'worker', true, ${at}
    on conflict (component) do update set is_well = excluded.is_well, checked = excluded.checked`.execute(tx)
}

/**
 * Tells whether no delivery to a receiver that answers is overdue: else nobody delivers. What an erasure of its team held
 * has as long from the end of that.
 */
export async function isDelivering(reader: Reader, now: Date): Promise<boolean> {
  const at = sql`${now}::timestamptz`
  const { rows } = await sql<{ overdue: boolean }>`
    select exists (select from service.webhook_deliveries d join service.webhooks w on w.id = d.webhook_id
      where d.state = 'waiting' and w.status = 1 and w.failing_since is null
        and greatest(d.due, d.created) < ${at} - ${LATE}
        and not ${isExcused(sql`w.team_id`, at)}) as overdue`.execute(reader)
  return !(rows[0]?.overdue ?? false)
}

export interface Incident {
  component: Component
  began: Date
  ended: Date | null
}

/** Returns the incidents of the last 90 days, those that go on first, then the newest. */
export function lastIncidents(reader: Reader, now: Date, most: number): Promise<Incident[]> {
  return reader
    .selectFrom('incidents')
    .select(['component', 'began', 'ended'])
    .where('began', '>', new Date(now.getTime() - 90 * 86_400_000))
    .orderBy(sql`ended is not null`)
    .orderBy('began', 'desc')
    .limit(most)
    .execute()
}

/** Returns when the worker last looked; undefined: never yet. */
export async function lastLook(reader: Reader): Promise<Date | undefined> {
  const row = await reader
    .selectFrom('health_checks')
    .select('checked')
    .where('component', '=', 'worker')
    .executeTakeFirst()
  return row?.checked
}

export const forgetOldIncidents = (tx: Tx, now: Date) =>
  tx
    .deleteFrom('incidents')
    .where('began', '<', new Date(now.getTime() - 90 * 86_400_000))
    .where('ended', 'is not', null)
    .execute()
