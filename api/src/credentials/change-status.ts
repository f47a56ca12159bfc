import { jobStarted } from '../ledger/write/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import { ApiError, invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { parseCredentialId } from '../platform/http/identifiers.js'
import { findOwnRegistry } from '../revocation/registry.store.js'
import { changeStatus, nobodyActs, type StatusChange } from '../revocation/registry-actions.js'
import { refuseUnrevoke } from '../revocation/update-registry.js'
import { findEntriesOfTeam, type StatusEntry } from '../status/entries.store.js'
import { findRegistry } from '../status/registry.store.js'
import { bareHex, revocationIdOf } from '../status/revocation-id.js'
import { type CredentialRow, findCredentials, MOST_OF_AN_ID } from './credential.store.js'

type Action = 'revoke' | 'unrevoke'

/**
 * Starts the job that revokes or unrevokes all credentials of the team with an id, in whichever registries they stand.
 * @param purpose what their registries have to be for; undefined: whatever it is
 * @throws where one of them cannot be changed: none is
 */
export async function changeCredentialStatus(ctx: Context, text: string, action: Action, purpose?: string) {
  const id = parseCredentialId(text)
  if (id === undefined) throw notFound('Credential')
  const revocationId = revocationIdOf(id)
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const credentials = await findCredentials(tx, ctx.team, id)
    const entries = credentials.length === 0 ? [] : await findEntriesOfTeam(tx, ctx.team, revocationId)
    requirePlaces(credentials, entries, action)
    const changes = await changesOf(tx, ctx, entries, action)
    const other = changes.find(({ registry }) => purpose !== undefined && registry.purpose !== purpose)
    if (other) throw invalid(`The purpose of its status is ${other.registry.purpose}, and not ${purpose?.slice(0, 64)}`)
    if (changes.length === 0) throw removedRegistry()
    const job = await changeStatus(tx, ctx, action, changes)
    const isRevoked = action === 'revoke'
    await tx.audit({
      action: `${action}Credential`,
      subject: id,
      before: { revoked: !isRevoked },
      after: { revoked: isRevoked, credentials: credentials.length },
    })
    return tx.answer(jobStarted(ctx, job, { revokeIds: [revocationId] }))
  })
}

type Placed = Pick<CredentialRow, 'registry_id' | 'status_index'>

/**
 * Refuses to change the credentials with an id where one of them has no place of its own.
 * @param entries all places of the team that stand for the id
 */
export function requirePlaces(credentials: readonly Placed[], entries: readonly StatusEntry[], action: Action): void {
  if (credentials.length === 0) throw notFound('Credential')
  if (credentials.length > MOST_OF_AN_ID)
    throw invalid(`More than ${MOST_OF_AN_ID} credentials have this id: revoke them with POST /registries/{id}`)
  // Any id can get a place by hand, but no verifier looks it up for a credential without a status. The place in a
  // caller's own entry may be another credential's.
  if (!credentials.some((credential) => entries.some((entry) => isPlaceOf(credential, entry))))
    throw invalid('The credential was not issued as revocable by this service; it can never be revoked')
  const hasNoPlace = (credential: Placed) => !entries.some((entry) => isPlaceOf(credential, entry))
  if (action === 'revoke' && credentials.some(hasNoPlace)) throw neverRevocable(entries)
}

export const removedRegistry = (): ApiError =>
  invalid('The revocation registry of the credential was removed; it is valid nowhere any more')

const isPlaceOf = ({ registry_id, status_index }: Placed, entry: StatusEntry): boolean =>
  registry_id === entry.registry_id && status_index === entry.index

async function changesOf(tx: Tx, ctx: Context, entries: StatusEntry[], action: Action): Promise<StatusChange[]> {
  const changes: StatusChange[] = []
  const [gone, lost]: [string[], string[]] = [[], []]
  for (const registryId of registriesOf(entries)) {
    const registry = await findRegistry(tx, registryId)
    if (!registry || registry.status === 'removing') gone.push(registryId)
    else if (!(await findOwnRegistry(tx, ctx.team, registryId))) lost.push(registryId)
    else {
      refuseUnrevoke(registry, action)
      const indexes = entries.filter((entry) => entry.registry_id === registryId).map(({ index }) => index)
      changes.push({ registry, indexes })
    }
  }
  if (lost.length > 0) throw nobodyActs(lost)
  // A credential of a removed registry fails everywhere, as a revoked one does, for good.
  if (action === 'unrevoke' && gone.length > 0 && changes.length > 0)
    throw new ApiError(
      'conflict',
      `Credentials with this id stand in ${named(gone)} too, which was removed: they stay invalid. Unrevoke the others with POST /registries/{id}`,
    )
  return changes
}

const registriesOf = (entries: readonly StatusEntry[]): string[] => [
  ...new Set(entries.map(({ registry_id }) => registry_id)),
]
const named = (registries: readonly string[]): string => `registry ${registries.map(bareHex).join(' and ')}`

const neverRevocable = (entries: readonly StatusEntry[]): ApiError =>
  invalid(
    `A credential with this id was not issued as revocable by this service, and can never be revoked. Revoke the others with POST /registries/{id}, in ${named(registriesOf(entries))}`,
  )
