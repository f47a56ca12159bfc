import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import type { Context } from '../platform/http/context.js'
import { findRegistry } from '../status/registry.store.js'
import type { StatusMethod } from '../status/status-method.js'

/** What the registries of others are taken for, by their kind on the ledger. */
export const TYPE_OF_KIND = { StatusList: 'StatusList2021Entry', Accumulator: 'DockVBAccumulator2022' } as const

/** The method of a registry on the ledger: as whoever made it here asked for, or by its kind. */
export async function methodOf(
  { db, statusMethods }: Pick<Context, 'db' | 'statusMethods'>,
  { registryId, kind }: Pick<RevocationRegistryState, 'registryId' | 'kind'>,
): Promise<StatusMethod | undefined> {
  const row = await db.read('public', (reader) => findRegistry(reader, registryId))
  return statusMethods.ofRegistry(row?.type ?? TYPE_OF_KIND[kind])
}
