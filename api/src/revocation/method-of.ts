import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import type { Context } from '../platform/http/context.js'
import { findRegistry } from '../status/registry.store.js'
import type { StatusMethod } from '../status/status-method.js'

/** The types for the registries of others, by their kind on the ledger. */
export const TYPE_OF_KIND = { StatusList: 'StatusList2021Entry', Accumulator: 'DockVBAccumulator2022' } as const

/** Returns the method of a registry on the ledger: as requested when it was made here, or by its kind. */
export async function methodOf(
  { db, statusMethods }: Pick<Context, 'db' | 'statusMethods'>,
  { registryId, kind }: Pick<RevocationRegistryState, 'registryId' | 'kind'>,
): Promise<StatusMethod | undefined> {
  const row = await db.read('public', (reader) => findRegistry(reader, registryId))
  return statusMethods.ofRegistry(row?.type ?? TYPE_OF_KIND[kind])
}
