import { signingKey } from '../dids/did.store.js'
import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import { anyOf } from '../platform/database/any-of.js'
import type { Reader } from '../platform/database/database.js'
import { findRegistry } from '../status/registry.store.js'
import type { Publisher } from '../status/status-method.js'

/**
 * Returns the signer of a registry's list: the DID that made it, then the others of its policy in their order, as long
 * as they can sign and belong to the team that made it, or to one that took them over later: a DID that moves takes its
 * duty along.
 * Anyone may name the DIDs of other teams in a policy: these did not agree to sign.
 * @param reader of the system: lists are public
 */
export async function listSigner(reader: Reader, registry: Kept): Promise<Publisher | undefined> {
  for (const did of (await keepers(reader, registry)).candidates) {
    const key = await signingKey(reader, did)
    if (key) return { ...key, did }
  }
  return undefined
}

type Kept = Pick<RevocationRegistryState, 'registryId' | 'creator' | 'policy'>

/** Tells whether the list is one of ours, even if nobody here can still sign it. */
export const isKeptHere = async (reader: Reader, registry: Kept): Promise<boolean> =>
  (await keepers(reader, registry)).maker !== undefined

async function keepers(reader: Reader, { registryId, creator, policy }: Kept) {
  const row = await findRegistry(reader, registryId)
  // The ledger sorts the policy; the request had an order of its own.
  const candidates = [...new Set([creator, ...(row?.policy ?? policy)])]
  const owners = await reader
    .selectFrom('dids')
    .select(['did', 'team_id', 'created'])
    .where('did', '=', anyOf(candidates))
    .execute()
  const maker = row?.team_id ?? owners.find(({ did }) => did === creator)?.team_id
  const signs = new Set(
    owners
      .filter(({ team_id, created }) => team_id === maker || (row !== undefined && created > row.created))
      .map(({ did }) => did),
  )
  return { maker, candidates: candidates.filter((did) => signs.has(did)) }
}
