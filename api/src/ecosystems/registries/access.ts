import type { Did } from '@accredit/chain'
import { namedDid } from '../../dids/did-param.js'
import { delegatesOf } from '../../ledger/read/participants/delegates.js'
import { ApiError, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { presentPoint, type ReadPoint } from '../read-point.js'
import { type RegistryRow, registryAt, type Standing, standingIn } from './registry.queries.js'
import { ownPendingRegistry } from './registry.store.js'
import { type RegistryRef, registryRef } from './slug.js'

export interface Access {
  readonly point: ReadPoint
  readonly registry: RegistryRow
  readonly standing: Standing
}

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
  const issuer = namedDid(params.did, 'did')
  const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
  const delegates = await ctx.db.read(ctx.scope, (reader) => delegatesOf(reader, point, registry.id, issuer))
  if (delegates === undefined) throw notFound('Issuer')
  return { registry, issuer, delegates }
}
