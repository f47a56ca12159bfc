import type { Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'

/** An invitation into a trust registry, with the team that made it. */
interface Answered {
  /** The nonce of its token. */
  id: string
  registryId: string
  team: TeamId
}

/** Tells the inviting teams who takes part by their invitations now. */
export const tellAccepted = (tx: Tx, accepted: readonly (Answered & { did: string })[]): Promise<void> =>
  tx.emitAll(
    accepted.map(({ id, registryId, did, team }) => ({
      team,
      event: 'invitation_accept',
      data: { id, registryId, did },
      resource: `invitation ${id}`,
    })),
  )

/** Tells the inviting team that nobody will take part by its invitation. */
export const tellDeclined = (tx: Tx, { id, registryId, team }: Answered): Promise<void> =>
  tx.emit('invitation_decline', { id, registryId }, team, `invitation ${id}`)
