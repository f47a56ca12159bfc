import { type SigningKey, signingKey } from '../dids/did.store.js'
import type { RevocationRegistryState } from '../ledger/status-list.js'
import type { Reader } from '../platform/database/database.js'
import { findRegistry } from './registry.store.js'

export interface ListSigner extends SigningKey {
  did: string
}

/**
 * Who signs the list of a registry: the DID that made it, then the others of its policy in their order, as long as they
 * belong to the team that owns it and can sign.
 * @param reader of the system: lists are public, whoever asks
 */
export async function listSigner(
  reader: Reader,
  { registryId, creator, policy }: Pick<RevocationRegistryState, 'registryId' | 'creator' | 'policy'>,
): Promise<ListSigner | undefined> {
  const row = await findRegistry(reader, registryId)
  // The ledger sorts the policy; what was asked for has an order.
  const candidates = [...new Set([creator, ...(row?.policy ?? policy)])]
  const owners = await reader.selectFrom('dids').select(['did', 'team_id']).where('did', 'in', candidates).execute()
  const teamOf = new Map(owners.map(({ did, team_id }) => [did, team_id]))
  const team = row?.team_id ?? teamOf.get(creator)
  for (const did of candidates.filter((one) => team !== undefined && teamOf.get(one) === team)) {
    const key = await signingKey(reader, did)
    if (key) return { ...key, did }
  }
  return undefined
}
