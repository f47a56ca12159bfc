import { wasRemoved } from '../../ledger/read/registries/registry-states.js'
import type { Reader } from '../../platform/database/database.js'
import type { AnyContext, Context } from '../../platform/http/context.js'
import { ApiError, invalid } from '../../platform/http/errors.js'
import { type InvitationUse, useOfInvitation } from '../participants/participant.store.js'
import type { ReadPoint } from '../read-point.js'
import { type RegistryRow, registryAt, standingIn } from '../registries/registry.queries.js'
import { type Invitation, invitationKey, readInvitation } from './invitation-token.js'

/** The key of this deployment's invitations. */
export const keyOfInvitations = (ctx: Pick<AnyContext, 'deriveKey'>): Uint8Array =>
  invitationKey(ctx.deriveKey('ecosystem-invitation'))

export async function parseInvitation(ctx: Context, token: string): Promise<Invitation> {
  const invitation = await readInvitation(keyOfInvitations(ctx), token, ctx.clock.now())
  if (invitation.isTestmode !== (ctx.config.environment === 'sandbox'))
    throw invalid('This invitation belongs to another environment')
  return invitation
}

const USES: Record<InvitationUse, string> = {
  accepted: 'was used before: ask the ecosystem for a new one',
  declined: 'was declined: ask the ecosystem for a new one',
  waiting: 'was accepted and waits for the signature of the convener, which keeps its own key',
}

export const tokenUsed = (use: InvitationUse = 'accepted') =>
  new ApiError('invite_token_used', `This invitation ${USES[use]}`)

/**
 * Throws when the invitation was taken before, and tells how. The transaction that takes it notices one that is taken
 * meanwhile.
 */
export async function refuseTaken(ctx: Context, { nonce }: Invitation): Promise<void> {
  const use = await ctx.db.read('system', (reader) => useOfInvitation(reader, nonce))
  if (use) throw tokenUsed(use)
}

export const handedOver = () =>
  new ApiError(
    'invite_token_expired',
    'This invitation ended when its ecosystem changed hands: ask the ecosystem for a new one',
  )

/**
 * Returns the registry that an invitation is for. Throws, with the reason, when it no longer exists, or no longer
 * belongs to the inviting team.
 */
export async function invitingRegistry(ctx: Context, invitation: Invitation, point: ReadPoint): Promise<RegistryRow> {
  const host = await ctx.db.read(ctx.scope, (reader) => hostOf(reader, invitation, point))
  if (typeof host !== 'string') return host
  if (host === 'handedOver') throw handedOver()
  if (host === 'removed') throw invalid('The ecosystem of this invitation was deleted')
  throw invalid('The ecosystem of this invitation is not on the ledger')
}

/** Returns the registry that an invitation is for, or the reason for which there is none. */
export async function hostOf(
  reader: Reader,
  { id, convener, team }: Invitation,
  point: ReadPoint,
): Promise<RegistryRow | 'handedOver' | 'removed' | 'unknown'> {
  const registry = await registryAt(reader, point, { id })
  if (registry === undefined) return (await wasRemoved(reader, id)) ? 'removed' : 'unknown'
  const { is_owner } = await standingIn(reader, id, team)
  return registry.convener === convener && is_owner ? registry : 'handedOver'
}
