import '../account.tables.js'
import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { hashKey, unauthorized } from '../../platform/security/authentication.js'

/** So long a link signs somebody in. */
export const LINK_MS = 900_000

/** The most sessions of a person: the oldest ends when there is one more. */
const MOST_SESSIONS = 100

export const storeLink = (tx: Tx, link: { token: string; email: string; expires: Date }): void =>
  tx.defer(
    tx.insertInto('sign_in_links').values({ hash: hashKey(link.token), email: link.email, expires: link.expires }),
  )

/**
 * Uses up a link, and returns whose it is.
 *
 * @throws 401, the same for a link that was used, is over, or never was
 */
export async function useLink(tx: Tx, token: string, now: Date): Promise<string> {
  const used = await tx
    .deleteFrom('sign_in_links')
    .where('hash', '=', hashKey(token))
    .where('expires', '>', now)
    .returning('email')
    .executeTakeFirst()
  if (!used) throw unauthorized('The link was used, or is over: ask for another one')
  return used.email
}

/**
 * Lets one at a time begin a session with another one, or end all of a person: what was begun at the same moment ends
 * with them.
 */
export const lockSessions = (tx: Tx, userId: number): Promise<void> => lockByName(tx, `service.sessions of ${userId}`)

interface NewSession {
  token: string
  userId: number
  team: TeamId
  now: Date
  expires: Date
}

/** Makes a session; asked as the system. */
export async function storeSession(tx: Tx, { token, userId, team, now, expires }: NewSession): Promise<void> {
  const row = { hash: hashKey(token), user_id: userId, team_id: team, created: now, expires }
  await tx.insertInto('sessions').values(row).execute()
  tx.defer(
    tx
      .deleteFrom('sessions')
      .where(
        'id',
        'in',
        tx
          .selectFrom('sessions')
          .select('id')
          .where('user_id', '=', userId)
          .orderBy('id', 'desc')
          .offset(MOST_SESSIONS),
      ),
  )
}

/** Returns when a session ends; undefined where it ended already. */
export async function endOfSession(tx: Tx, id: number): Promise<Date | undefined> {
  return (await tx.selectFrom('sessions').select('expires').where('id', '=', id).executeTakeFirst())?.expires
}
