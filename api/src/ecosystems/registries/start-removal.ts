import type { Hex32 } from '@accredit/chain'
import { actingKeyHere } from '../../dids/did.store.js'
import type { ListedSchema } from '../../ledger/read/registries/registry-schemas.js'
import type { StartedJob } from '../../ledger/write/start-job.js'
import type { Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { JOB } from '../job-kinds.js'
import { startRegistryJob } from '../registry-job.js'
import type { RegistryRow } from './registry.queries.js'
import { removalDispatches } from './removal.js'

/** Starts the job that takes these schemas out of a registry; without `only` the registry itself goes after them. */
export async function startRemoval(
  tx: Tx,
  ctx: Context,
  { id: registryId, convener: actor }: Pick<RegistryRow, 'id' | 'convener'>,
  listed: readonly ListedSchema[],
  only?: Hex32,
): Promise<StartedJob> {
  // A convener may sign it after days: it has to be good whatever issuers did by then.
  const counting = (await actingKeyHere(tx, actor)) === undefined ? 'worst' : 'listed'
  const calls = removalDispatches(registryId, listed, { counting, only })
  const data = only === undefined ? {} : { schema: only }
  return startRegistryJob(tx, ctx, { kind: JOB.removal, registryId, actor, calls, data, oneByOne: true })
}
