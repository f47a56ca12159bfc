import type { Tx } from '../platform/database/database.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { changeStatus } from '../revocation/registry-actions.js'
import { findRegistry } from '../status/registry.store.js'
import { revocationIdOf } from '../status/revocation-id.js'
import { bindPlace, type Delegatable } from './delegatable.store.js'

interface PlaceChange {
  action: 'revoke' | 'unrevoke'
  known: Delegatable
  place: { credentialId: string; index: number }
  /** The DID by whose right it is done. */
  by: string
}

/**
 * Sets or clears the bit at a place, which is this credential's from then on. The DID that keeps the list acts.
 * @returns the job
 */
export async function changePlace(
  tx: Tx,
  ctx: Pick<Context, 'clock' | 'random' | 'statusMethods'>,
  { action, known, place, by }: PlaceChange,
): Promise<string> {
  const registry = await findRegistry(tx, known.registry_id)
  if (registry === undefined || registry.status === 'removing') throw notFound('Registry')
  const { index, credentialId } = place
  const bound = await bindPlace(tx, known, { index, revocationId: revocationIdOf(credentialId) })
  if (bound === 'taken') throw new ApiError('conflict', `The place ${index} is that of another credential`)
  if (bound === 'elsewhere') throw new ApiError('conflict', 'The credential has another place in this list')
  const { clock, random, statusMethods } = ctx
  const acting = { clock, random, statusMethods, team: known.team_id }
  const job = await changeStatus(tx, acting, action, [{ registry, indexes: [index] }])
  await tx.audit({
    action: 'changeDelegatableStatus',
    subject: registry.id,
    detail: { by },
    after: { action, index },
    team: known.team_id,
  })
  return job.id
}
