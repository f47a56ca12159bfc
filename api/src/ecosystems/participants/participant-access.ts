import { holdsDid } from '../../dids/wallet/did-proof.store.js'
import type { TeamScope } from '../../platform/database/database.js'
import { ApiError, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { presentPoint } from '../read-point.js'
import { type Access, visibleRegistry } from '../registries/access.js'
import { registryRef } from '../registries/slug.js'
import { type ParticipantRow, participantById } from './participant.queries.js'

export const participantNotFound = () => notFound('Participant')

export interface ParticipantAccess extends Access {
  readonly participant: ParticipantRow
  /** The DID is the caller's. */
  readonly isOwnDid: boolean
}

/** A participant, as of now, that the team may change: as the convener, or because the DID is its own. */
export async function ownParticipant(
  ctx: Context,
  registryText: string,
  participantId: string,
): Promise<ParticipantAccess> {
  const access = await visibleRegistry(ctx, registryRef(registryText), await presentPoint(ctx))
  const { point, registry, standing } = access
  const { participant, isOwnDid } = await ctx.db.read(ctx.scope, async (reader) => {
    const found = await participantById(reader, point, registry.id, participantId)
    if (!found) throw participantNotFound()
    // A participant that is listed on the ledger only never accepted here, and is its team's all the same.
    return {
      participant: found,
      isOwnDid: found.team_id === ctx.team || (await holdsDid(reader, ctx.team, found.did)),
    }
  })
  if (!standing.is_owner && !isOwnDid)
    throw new ApiError('forbidden', 'Only the convener may change other participants')
  return { ...access, participant, isOwnDid }
}

/** The caller's rows and the participant's, in one transaction. */
export function withTeamOf(ctx: Context, { team_id }: ParticipantRow): TeamScope {
  return team_id === null || team_id === ctx.team ? ctx.scope : { ...ctx.scope, teams: [ctx.team, team_id] }
}
