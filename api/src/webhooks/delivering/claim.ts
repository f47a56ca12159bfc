import '../webhook.tables.js'
import { sql } from 'kysely'
import type { Database, Tx } from '../../platform/database/database.js'
import { isHeld } from '../../platform/database/held-teams.js'
import type { TeamId } from '../../platform/database/ids.js'
import { json } from '../../platform/database/tables.js'
import { type FreePlaces, PLACES } from './places.js'
import { TRIED_FOR_MS } from './retry-schedule.js'

/** A delivery that this process tries: its row is leased until `due`. */
export interface Claimed {
  id: number
  attempt: number
  message: string
  team_id: TeamId
  webhook_id: string
  event: string
  tries: number
  give_up: Date
  url: string
  personal_data: boolean
  /** The secrets of the web hook. */
  secrets: Buffer
  /** The data of the event. */
  sealed: Buffer
  trace: string | null
}

export interface Claim {
  taken: Claimed[]
  /** True if there may be more that is due. */
  hasMore: boolean
}

/** The rows that a claim looks at beside four for each place: some wait for earlier ones of their resource. */
const LOOKED_AT = 16

interface Candidate {
  id: number
  webhook_id: string
  team_id: number
  is_head: boolean
}

/**
 * Leases deliveries that are due, as many as there are places: first one of each web hook, then the second ones. Rows
 * whose resource waits for an earlier one are put after it: its result calls them up (see `delivery-results`).
 */
export function claimDue(db: Database, free: FreePlaces, now: Date, leasedUntil: Date): Promise<Claim> {
  return db.transaction('system', async (tx) => {
    const locked = await lockDue(tx, free, now)
    if (locked.length === 0) return { taken: [], hasMore: false }
    // Another statement, which sees what was committed before the rows were locked: a row whose predecessor ended
    // meanwhile is not put after it.
    const candidates = await withHeads(tx, locked)
    const later = candidates.filter(({ is_head }) => !is_head).map(({ id }) => id)
    if (later.length > 0)
      await sql`update webhook_deliveries set due = 'infinity' where id = any(${later}::bigint[])`.execute(tx)
    const heads = candidates.filter(({ is_head }) => is_head)
    const chosen = choose(heads, free)
    if (chosen.length === 0) return { taken: [], hasMore: later.length > 0 }
    const { rows } = await sql<Claimed>`update webhook_deliveries d
      set due = ${leasedUntil}::timestamptz, attempt = d.attempt + 1,
        give_up = coalesce(d.give_up, ${new Date(now.getTime() + TRIED_FOR_MS)}::timestamptz)
      from webhooks w, outgoing_events e
      where d.id = any(${chosen}::bigint[]) and w.id = d.webhook_id and e.id = d.event_id
      returning d.id, d.attempt, d.message, d.team_id, d.webhook_id, d.event, d.tries, d.give_up,
        w.url, w.personal_data, w.sealed as secrets, e.sealed, e.trace`.execute(tx)
    return { taken: rows.sort((a, b) => a.id - b.id), hasMore: later.length > 0 || chosen.length < heads.length }
  })
}

/** Locks due rows of every web hook that has free places. The index is asked once for each that something waits for. */
async function lockDue(tx: Tx, free: FreePlaces, now: Date): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`with recursive waiting (id) as (
      (select webhook_id from webhook_deliveries where state = 'waiting' order by webhook_id limit 1)
      union all
      select (select d.webhook_id from webhook_deliveries d
        where d.state = 'waiting' and d.webhook_id > waiting.id order by d.webhook_id limit 1)
      from waiting where waiting.id is not null
    )
    select due.id from waiting join webhooks w on w.id = waiting.id and w.status = 1
      left join jsonb_to_recordset(${json(free.webhooks)}::jsonb) as p (id text, places int) on p.id = w.id
      cross join lateral (
        select d.id from webhook_deliveries d
        where d.webhook_id = w.id and d.state = 'waiting' and d.due <= ${now}::timestamptz
        order by d.due, d.id limit ${LOOKED_AT} + 4 * coalesce(p.places, ${PLACES.first}) for update skip locked
      ) due
    where coalesce(p.places, ${PLACES.first}) > 0 and not ${isHeld(sql`w.team_id`)}`.execute(tx)
  return rows.map(({ id }) => id)
}

async function withHeads(tx: Tx, ids: readonly number[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`select d.id, d.webhook_id, d.team_id,
      d.is_replay or d.resource is null or not exists (select from webhook_deliveries e
        where e.webhook_id = d.webhook_id and e.resource = d.resource and e.state = 'waiting' and not e.is_replay
        and e.id < d.id) as is_head
    from webhook_deliveries d where d.id = any(${ids}::bigint[]) and d.state = 'waiting'
    order by d.due, d.id`.execute(tx)
  return rows
}

/** Returns the ids that places are left for: all first ones of web hooks before all second ones. */
function choose(heads: readonly Candidate[], free: FreePlaces): number[] {
  const webhooks = new Map(free.webhooks.map(({ id, ...standing }) => [id, standing]))
  const teams = new Map(free.teams.map(({ id, places }) => [id, places]))
  let { all, unproven } = free
  const lines = new Map<string, Candidate[]>()
  for (const head of heads) lines.set(head.webhook_id, [...(lines.get(head.webhook_id) ?? []), head])
  const chosen: number[] = []
  for (let turn = 0; turn < PLACES.most && all > 0; turn++)
    for (const [id, line] of lines) {
      const next = line[turn]
      if (!next || all === 0) continue
      const { places, proven } = webhooks.get(id) ?? { places: PLACES.first, proven: false }
      const ofTeam = teams.get(next.team_id) ?? PLACES.team
      if (turn >= places || ofTeam <= 0 || (!proven && unproven <= 0)) continue
      teams.set(next.team_id, ofTeam - 1)
      all--
      if (!proven) unproven--
      chosen.push(next.id)
    }
  return chosen
}

/** Returns the time at which something is due next. */
export async function nextDue(db: Database): Promise<Date | undefined> {
  const { rows } = await db.read('system', (reader) =>
    sql<{ due: Date }>`select case when due = '-infinity' then now() else due end as due from webhook_deliveries
      where state = 'waiting' and due < 'infinity' order by webhook_deliveries.due limit 1`.execute(reader),
  )
  return rows[0]?.due
}
