import { sql } from 'kysely'
import type { Tx } from './database.js'

/**
 * Deletes the events of a thing, and with them what waits for receivers or could be replayed.
 *
 * @param resource its name among events (`EventSealing.resourceOf`)
 */
export async function eraseEvents(tx: Tx, resource: Buffer): Promise<void> {
  await sql`delete from outgoing_events where resource = ${resource}
    and team_id = any(service.current_teams())`.execute(tx)
}
