import type { Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import './webhook.tables.js'

/** Stores a web hook of a team where nobody delivers: its events wait. */
export async function storeIdleHook(tx: Tx, team: TeamId, events: readonly string[]): Promise<void> {
  await tx
    .insertInto('webhooks')
    .values({
      id: String(team),
      team_id: team,
      url: 'https://receiver.example',
      description: '',
      status: 1,
      events: [...events],
      personal_data: true,
      sealed: Buffer.alloc(1),
      created: new Date(),
    })
    .execute()
}
