import './account.tables.js'
import type { Tx } from '../platform/database/database.js'
import { cancelInvitation } from './teams/invitation.store.js'

/** Things that opened something, counted. */
export interface EndedOpenings {
  /** Sessions and temporary keys. */
  signIns: number
  /** Invitations to teams. */
  invitations: number
}

/**
 * Lets everybody sign in, and be invited, anew: sessions, sign-in links, temporary keys and invitations open nothing any
 * more. A restored copy has those that ended after it was made. Mails on their way go too: each has a token of one of these.
 */
export async function endOpenings(tx: Tx, now: Date): Promise<EndedOpenings> {
  const sessions = await tx.deleteFrom('sessions').executeTakeFirst()
  await tx.deleteFrom('sign_in_links').execute()
  await tx.deleteFrom('outgoing_mails').execute()
  const keys = await tx
    .updateTable('api_keys')
    .set({ revoked: now })
    .where('is_temporary', '=', true)
    .where('revoked', 'is', null)
    .where('expires', '>', now)
    .executeTakeFirst()
  return {
    signIns: Number(sessions.numDeletedRows + keys.numUpdatedRows),
    invitations: await cancelInvitations(tx),
  }
}

/** Cancels all invitations that nobody answered, as people cancel one. */
async function cancelInvitations(tx: Tx): Promise<number> {
  const open = tx.selectFrom('team_invitations').select(['id', 'team_id']).where('status', '=', 'pending')
  const pending = await open.forUpdate().execute()
  for (const { id, team_id: team } of pending) await cancelInvitation(tx, { id, team })
  return pending.length
}
