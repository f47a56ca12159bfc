import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'

/** The reader of notifications: a person, or the team of a key. */
export const readerName = ({ principal }: Pick<Context, 'principal'>): string =>
  principal.kind === 'session' ? `user:${principal.userId}` : 'team'

interface Asked extends Page {
  team: TeamId
  by: string
  /** Only what was read, or was not. */
  read: boolean | undefined
}

export interface Notification {
  id: number
  type: string
  data: JsonObject
  created: string
  read: boolean
}

/** Returns notifications of a team, newest first, and the number of all of them. */
export async function notificationsOf(
  reader: Reader,
  { team, by, read, offset, limit }: Asked,
): Promise<{ total: number; list: Notification[] }> {
  const isRead = sql<boolean>`${by} = any(read_by)`
  let asked = reader.selectFrom('notifications').where('team_id', '=', team)
  if (read !== undefined) asked = asked.where(isRead, '=', read)
  const [rows, counted] = await Promise.all([
    asked
      .select(['id', 'type', 'data', 'created', isRead.as('read')])
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit)
      .execute(),
    asked.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return {
    total: Number(counted.total),
    list: rows.map(({ created, ...row }) => ({ ...row, created: created.toISOString() })),
  }
}

/** Marks as read what a reader can see now; what comes while this runs stays unread. */
export function markRead(tx: Tx, team: TeamId, by: string): void {
  tx.defer(
    tx
      .updateTable('notifications')
      .set({ read_by: sql`array_append(read_by, ${by})` })
      .where('team_id', '=', team)
      .where(sql<boolean>`not ${by} = any(read_by)`, '=', true),
  )
}
