import { sql } from 'kysely'
import type { Database, Reader, TeamScope } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import { STREAM_CHUNK } from '../../platform/http/streamed-list.js'

export interface TrailFilter {
  actor?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

export interface TrailRow {
  id: number
  time: string
  actor: string
  actorName: string | null
  address: string | null
  action: string
  subject: string | null
  before: JsonObject | null
  after: JsonObject | null
  detail: JsonObject
  requestId: string | null
}

interface Piece {
  before: number | undefined
  limit: number
}

/**
 * Returns audit rows of a team, newest first. A person is named while in the team, a key by its public part: the names
 * are looked up for the rows of a page alone.
 */
export async function trailOf(
  reader: Reader,
  team: TeamId,
  { actor, action, subject, from, to }: TrailFilter,
  { before, limit }: Piece,
): Promise<TrailRow[]> {
  let page = reader.selectFrom('audit').selectAll().where('team_id', '=', team)
  if (actor !== undefined) page = page.where('actor', '=', actor)
  if (action !== undefined) page = page.where('action', '=', action)
  if (subject !== undefined) page = page.where('subject', '=', subject)
  if (from !== undefined) page = page.where('at', '>=', from)
  if (to !== undefined) page = page.where('at', '<=', to)
  if (before !== undefined) page = page.where('id', '<', before)
  const rows = await reader
    .selectFrom(page.orderBy('id', 'desc').limit(limit).as('a'))
    .select(['a.id', 'a.at', 'a.actor', 'a.address', 'a.action', 'a.subject', 'a.before', 'a.after', 'a.detail'])
    .select('a.request_id as requestId')
    .select(
      sql<string | null>`case split_part(a.actor, ':', 1)
        when 'user' then (select u.name from service.users u where u.id = split_part(a.actor, ':', 2)::bigint)
        when 'key' then (select k.public_part from service.api_keys k where k.id = split_part(a.actor, ':', 2)::bigint)
        end`.as('actorName'),
    )
    .orderBy('a.id', 'desc')
    .execute()
  return rows.map(({ at, ...row }) => ({ ...row, time: at.toISOString() }))
}

/** Reads all of it, in pieces that hold no connection while their reader is slow. */
export async function* wholeTrail(
  db: Database,
  scope: TeamScope,
  team: TeamId,
  filter: TrailFilter,
): AsyncGenerator<TrailRow[]> {
  let before: number | undefined
  for (;;) {
    const piece = { before, limit: STREAM_CHUNK }
    const rows = await db.read(scope, (reader) => trailOf(reader, team, filter, piece))
    if (rows.length > 0) yield rows
    if (rows.length < STREAM_CHUNK) return
    before = rows.at(-1)?.id
  }
}
