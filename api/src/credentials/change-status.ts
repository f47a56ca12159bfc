import { jobStarted } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import { invalid, notFound } from '../platform/errors.js'
import { findEntriesOfTeam, findOwnRegistry, type StatusEntry } from '../revocation/registry.store.js'
import { changeStatus, type StatusChange } from '../revocation/registry-actions.js'
import { revocationIdOf } from '../revocation/revocation-id.js'
import { refuseUnrevoke } from '../revocation/update-registry.js'
import { type CredentialRow, findCredentials } from './credential.store.js'

type Action = 'revoke' | 'unrevoke'

/**
 * Starts the job that revokes or unrevokes all credentials of the team with an id, in whichever registries they stand that
 * the team can still change.
 */
export async function changeCredentialStatus(ctx: Context, id: string, action: Action) {
  const revocationId = revocationIdOf(id)
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const credentials = await findCredentials(tx, ctx.team, id)
    if (credentials.length === 0) throw notFound('Credential')
    // Any id can be given a place by hand, which nobody looks at who checks a credential that names none.
    const entries = await findEntriesOfTeam(tx, ctx.team, revocationId)
    // And a place that its own entry names may be another credential's.
    if (!credentials.some((credential) => entries.some((entry) => isPlaceOf(credential, entry))))
      throw invalid('The credential was not issued as revocable by this service; it can never be revoked')
    const changes = await changesOf(tx, ctx, entries, action)
    if (changes.length === 0)
      throw invalid('The revocation registry of the credential was removed; it is valid nowhere any more')
    const job = await changeStatus(tx, ctx, action, changes)
    await tx.audit({ action: `${action}Credential`, subject: id })
    return tx.answer(jobStarted(ctx, job, { revokeIds: [revocationId] }))
  })
}

const isPlaceOf = ({ registry_id, status_index }: CredentialRow, entry: StatusEntry): boolean =>
  registry_id === entry.registry_id && status_index === entry.index

async function changesOf(tx: Tx, ctx: Context, entries: StatusEntry[], action: Action): Promise<StatusChange[]> {
  const changes: StatusChange[] = []
  for (const registryId of new Set(entries.map((entry) => entry.registry_id))) {
    const registry = await findOwnRegistry(tx, ctx.team, registryId)
    if (!registry || registry.status === 'removing') continue
    refuseUnrevoke(registry, action)
    const indexes = entries.filter((entry) => entry.registry_id === registryId).map(({ index }) => index)
    changes.push({ registry, indexes })
  }
  return changes
}
