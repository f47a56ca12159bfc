import type { AnyContext, Context } from '../platform/context.js'
import { ApiError, invalid } from '../platform/errors.js'
import { type Invitation, invitationKey, readInvitation } from './invitation-token.js'
import { type InvitationUse, useOfInvitation } from './participant.store.js'
import type { ReadPoint } from './read-point.js'
import { type RegistryRow, registryAt, wasRemoved } from './registry.queries.js'

/** The key of this deployment's invitations. */
export const keyOfInvitations = (ctx: Pick<AnyContext, 'deriveKey'>): Uint8Array =>
  invitationKey(ctx.deriveKey('ecosystem-invitation'))

export async function parseInvitation(ctx: Context, token: string): Promise<Invitation> {
  const invitation = await readInvitation(keyOfInvitations(ctx), token, ctx.clock.now())
  if (invitation.isTestmode !== (ctx.config.environment === 'sandbox'))
    throw invalid('This invitation belongs to another environment')
  return invitation
}

export const tokenUsed = (use?: InvitationUse) =>
  new ApiError(
    'invite_token_used',
    `This invitation was ${use === 'declined' ? 'declined' : 'used before'}: ask the ecosystem for a new one`,
  )

/** Throws when the invitation was taken before, and says how. One that is taken meanwhile shows when it is taken. */
export async function refuseTaken(ctx: Context, { nonce }: Invitation): Promise<void> {
  const use = await ctx.db.read('system', (reader) => useOfInvitation(reader, nonce))
  if (use) throw tokenUsed(use)
}

/** The registry that an invitation is for. Throws, with the reason, when there is none any more. */
export async function invitingRegistry(ctx: Context, { id }: Invitation, point: ReadPoint): Promise<RegistryRow> {
  const { registry, removed } = await ctx.db.read(ctx.scope, async (reader) => {
    const found = await registryAt(reader, point, { id })
    return { registry: found, removed: !found && (await wasRemoved(reader, id)) }
  })
  if (registry) return registry
  if (removed) throw invalid('The ecosystem of this invitation was deleted')
  throw invalid('The ecosystem of this invitation is not on the ledger')
}
