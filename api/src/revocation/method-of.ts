import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import type { AnyContext } from '../platform/http/context.js'
import { findRegistry } from '../status/registry.store.js'
import type { StatusMethod } from '../status/status-method.js'

type Door = Pick<AnyContext, 'db' | 'statusMethods'>

/**
 * Returns the method of a registry that the ledger has. Its type is asked for only where methods of its kind publish
 * different things: what is public of it costs no question otherwise.
 */
export async function methodOf(
  { db, statusMethods }: Door,
  { registryId, kind }: Pick<RevocationRegistryState, 'registryId' | 'kind'>,
): Promise<StatusMethod | undefined> {
  const [first, ...others] = statusMethods.ofKind(kind)
  if (others.every(({ publish }) => publish === first?.publish)) return first
  const row = await db.read('system', (reader) => findRegistry(reader, registryId))
  return row ? statusMethods.of(row) : first
}
