import { sql } from 'kysely'
import type { Reader } from './database.js'
import type { TeamId } from './ids.js'

/**
 * Returns the teams of which an enabled web hook wants some of these events, with those that it wants; asked as the
 * system. Events that many teams could be told of are made for these alone.
 */
export async function wantedEvents<Name extends string>(
  reader: Reader,
  names: readonly Name[],
): Promise<ReadonlyMap<TeamId, ReadonlySet<Name>>> {
  const { rows } = await sql<{ team_id: TeamId; events: Name[] }>`
    select w.team_id, array_agg(distinct e.name) as events
    from service.webhooks w cross join lateral unnest(w.events) as e (name)
    where w.status = 1 and w.events && ${[...names]}::text[] and e.name = any(${[...names]}::text[])
    group by w.team_id`.execute(reader)
  return new Map(rows.map(({ team_id, events }) => [team_id, new Set(events)]))
}
