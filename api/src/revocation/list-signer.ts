import { type SigningKey, signingKey } from '../dids/did.store.js'
import type { RevocationRegistryState } from '../ledger/status-list.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader } from '../platform/database/database.js'
import type { TeamId } from '../platform/ids.js'
import { findRegistry } from './registry.store.js'

export interface ListSigner extends SigningKey {
  did: string
}

/**
 * Who signs the list of a registry: the DID that made it, then the others of its policy in their order, as long as they
 * belong to the team that owns it and can sign.
 * @param reader of the system: lists are public, whoever asks
 */
export async function listSigner(reader: Reader, registry: Kept): Promise<ListSigner | undefined> {
  for (const did of (await keepers(reader, registry)).candidates) {
    const key = await signingKey(reader, did)
    if (key) return { ...key, did }
  }
  return undefined
}

type Kept = Pick<RevocationRegistryState, 'registryId' | 'creator' | 'policy'>

/** The team whose list it is, whether or not it can still sign; undefined for a registry that nobody here has to do with. */
export const listTeam = async (reader: Reader, registry: Kept): Promise<TeamId | undefined> =>
  (await keepers(reader, registry)).team

async function keepers(reader: Reader, { registryId, creator, policy }: Kept) {
  const row = await findRegistry(reader, registryId)
  // The ledger sorts the policy; what was asked for has an order.
  const candidates = [...new Set([creator, ...(row?.policy ?? policy)])]
  const owners = await reader
    .selectFrom('dids')
    .select(['did', 'team_id'])
    .where('did', '=', anyOf(candidates))
    .execute()
  const teamOf = new Map(owners.map(({ did, team_id }) => [did, team_id]))
  const team = row?.team_id ?? teamOf.get(creator)
  return { team, candidates: candidates.filter((did) => team !== undefined && teamOf.get(did) === team) }
}
