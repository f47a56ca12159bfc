import '../data.tables.js'
import type { Reader } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Page } from '../../platform/http/pagination.js'

export interface SweptRows {
  day: string
  kind: string
  policy: string
  rows: number
}

/** Returns what of a team's data went by itself, the newest day first. */
export async function sweptRowsOf(reader: Reader, team: TeamId, { offset, limit }: Page): Promise<SweptRows[]> {
  const rows = await reader
    .selectFrom('swept_rows')
    .select(['day', 'kind', 'policy', 'rows'])
    .where('team_id', '=', team)
    .orderBy('day', 'desc')
    .orderBy('kind')
    .orderBy('policy')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(({ day, rows: count, ...row }) => ({
    ...row,
    day: day.toISOString().slice(0, 10),
    rows: Number(count),
  }))
}
