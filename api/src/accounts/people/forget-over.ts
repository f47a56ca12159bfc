import '../account.tables.js'
import type { Sweep } from '../../platform/sweeps/sweep.js'

const DAY_MS = 86_400_000

/** Deletes what opens nothing any more: sessions, links and mails that are over, and invitations a month after. */
export const forgetOver: Sweep = async ({ db, clock }) => {
  const now = clock.now()
  await db.transaction('system', async (tx) => {
    tx.defer(tx.deleteFrom('sessions').where('expires', '<=', now))
    tx.defer(tx.deleteFrom('sign_in_links').where('expires', '<=', now))
    tx.defer(tx.deleteFrom('outgoing_mails').where('expires', '<=', now))
    tx.defer(tx.deleteFrom('team_invitations').where('expires', '<=', new Date(now.getTime() - 30 * DAY_MS)))
  })
}
