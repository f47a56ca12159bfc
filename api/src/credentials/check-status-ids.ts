import { sql } from 'kysely'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader } from '../platform/database/database.js'
import { ApiError } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { findEntries } from '../status/entries.store.js'
import type { RegistryRow } from '../status/registry.store.js'
import { bareHex, revocationIdOf } from '../status/revocation-id.js'
import { isOwnId } from './issuing/credential-id.js'

/**
 * Refuses ids whose credentials would stay as they are, whatever the registry says of them. Any team may use an id that
 * was never issued here.
 * @throws 409 when a credential of the team has its status in another registry, or an address of ours is nobody's id
 */
export async function checkStatusIds(
  reader: Reader,
  ctx: Context,
  registry: Pick<RegistryRow, 'id'>,
  ids: readonly string[],
): Promise<void> {
  // An id with a place here may belong to another team, which had a DID of the policy before.
  const here = await findEntries(reader, registry.id, ids.map(revocationIdOf))
  const known = new Set(here.map(({ revocation_id }) => revocation_id))
  for (const id of ids)
    if (!known.has(revocationIdOf(id)) && !(await isOwnId(reader, ctx, id)))
      throw new ApiError('conflict', `${id} is an address of this service that was not given to your team as an id`)
  const places = await placesOf(reader, ctx, ids)
  for (const id of ids) {
    const own = places.get(id) ?? []
    if (own.length > 0 && !own.includes(registry.id)) throw elsewhere(id, own)
  }
}

/**
 * The registries in which credentials of the team with these ids have their status. One without may name any by its id
 * alone.
 * @throws 409 for one whose own entry names a place: none that is given here to its id would be looked at
 */
async function placesOf(reader: Reader, { team }: Context, ids: readonly string[]) {
  const credentials = await reader
    .selectFrom('credentials as c')
    .leftJoin('status_entries as e', (join) =>
      join.onRef('e.registry_id', '=', 'c.registry_id').onRef('e.index', '=', 'c.status_index'),
    )
    .select(['c.id', 'c.registry_id', 'e.revocation_id'])
    .where('c.team_id', '=', team)
    .where('c.id', '=', anyOf([...ids]))
    .where('c.registry_id', 'is not', null)
    .distinct()
    .orderBy('c.registry_id')
    .execute()
  const foreign = new Set(
    credentials.filter(({ id, revocation_id }) => revocation_id !== revocationIdOf(id)).map(({ id }) => id),
  )
  for (const id of ids) if (foreign.has(id)) throw ofItsOwn(id)
  const kept = new Set(credentials.map(({ id }) => id))
  const forgotten = new Map<string, string>(ids.filter((id) => !kept.has(id)).map((id) => [revocationIdOf(id), id]))
  // Issuing alone books a place without changing the status there.
  const entries = await reader
    .selectFrom('status_entries')
    .select(['revocation_id', 'registry_id', sql<boolean>`bool_or(touched is null)`.as('isIssued')])
    .where('team_id', '=', team)
    .where('revocation_id', '=', anyOf([...forgotten.keys()]))
    .groupBy(['revocation_id', 'registry_id'])
    .orderBy('registry_id')
    .execute()
  const isIssued = new Set(entries.filter((entry) => entry.isIssued).map(({ revocation_id }) => revocation_id))
  const places = new Map<string, string[]>()
  const add = (id: string, registry: string) => places.set(id, [...(places.get(id) ?? []), registry])
  for (const { id, registry_id } of credentials) if (registry_id !== null) add(id, registry_id)
  for (const { revocation_id, registry_id } of entries)
    if (isIssued.has(revocation_id)) add(forgotten.get(revocation_id) ?? revocation_id, registry_id)
  return places
}

const ofItsOwn = (id: string): ApiError =>
  new ApiError('conflict', `${id} was issued with a status entry of its own, which nothing can change by this id`)

const elsewhere = (id: string, registries: readonly string[]): ApiError =>
  new ApiError(
    'conflict',
    `${id} has its status in the registry ${registries.map(bareHex).join(' and ')}, and not in this one: name that, or use POST /credentials/{id}/revoke`,
  )
