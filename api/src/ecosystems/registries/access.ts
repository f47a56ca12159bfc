import type { Did } from '@accredit/chain'
import { didParam } from '../../dids/did-param.js'
import { holdsDid } from '../../dids/wallet/did-proof.store.js'
import { delegatesOf } from '../../ledger/read/participants/delegates.js'
import type { TeamScope } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { ApiError, notFound } from '../../platform/http/errors.js'
import { type ParticipantRow, participantById } from '../participants/participant.queries.js'
import { presentPoint, type ReadPoint } from '../read-point.js'
import { type RegistryRow, registryAt, type Standing, standingIn } from './registry.queries.js'
import { ownPendingRegistry } from './registry.store.js'
import { type RegistryRef, registryRef } from './slug.js'

export interface Access {
  readonly point: ReadPoint
  readonly registry: RegistryRow
  readonly standing: Standing
}

export const participantNotFound = () => notFound('Participant')
export const registryNotFound = () => notFound('Trust registry')

/** Returns a registry, to any team, and the team's standing in it. */
export const findRegistry = (ctx: Context, ref: RegistryRef, point: ReadPoint): Promise<Access | undefined> =>
  ctx.db.read(ctx.scope, async (reader) => {
    const registry = await registryAt(reader, point, ref)
    if (!registry) return undefined
    return { point, registry, standing: await standingIn(reader, registry.id, ctx.team) }
  })

/** Returns a registry that the team owns or takes part in. For every other team it does not exist. */
export async function visibleRegistry(ctx: Context, ref: RegistryRef, point: ReadPoint): Promise<Access> {
  const access = await findRegistry(ctx, ref, point)
  if (!access || !(access.standing.is_owner || access.standing.is_participant)) throw registryNotFound()
  return access
}

/** Returns a registry, as of now, to the team of its convener, which may change it. */
export async function ownRegistry(ctx: Context, refText: string): Promise<Access> {
  const ref = registryRef(refText)
  const access = await findRegistry(ctx, ref, await presentPoint(ctx))
  if (access?.standing.is_owner) return access
  if (access?.standing.is_participant)
    throw new ApiError('forbidden', 'Only the convener may change this trust registry')
  const pending = await ctx.db.read(ctx.scope, (reader) => ownPendingRegistry(reader, ctx.team, ref))
  if (!pending) throw registryNotFound()
  throw new ApiError(
    'conflict',
    `This trust registry is not on the ledger yet: wait for job ${pending.job_id}, or for the signature of a convener that keeps its own key`,
  )
}

export interface ParticipantAccess extends Access {
  readonly participant: ParticipantRow
  /** True where the DID is the caller's. */
  readonly isOwnDid: boolean
}

/** Returns a participant, as of now, that the team may change: as the convener, or because the DID is its own. */
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

export interface IssuerAccess {
  readonly registry: RegistryRow
  readonly issuer: Did
  readonly delegates: Did[]
}

/**
 * Returns an issuer of a registry at a point, and its delegates, to a team that convenes the registry or takes part in
 * it; for every other team neither exists.
 */
export async function issuerFor(
  ctx: Context,
  params: { registryId: string; did: string },
  point: ReadPoint,
): Promise<IssuerAccess> {
  const issuer = didParam(params.did, 'did')
  const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
  const delegates = await ctx.db.read(ctx.scope, (reader) => delegatesOf(reader, point, registry.id, issuer))
  if (delegates === undefined) throw notFound('Issuer')
  return { registry, issuer, delegates }
}

/** Locks the caller's rows and the participant's, in one transaction. */
export function withTeamOf(ctx: Context, { team_id }: ParticipantRow): TeamScope {
  return team_id === null || team_id === ctx.team ? ctx.scope : { ...ctx.scope, teams: [ctx.team, team_id] }
}
