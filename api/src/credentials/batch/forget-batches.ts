import type { Sweep } from '../../platform/sweeps/sweep.js'
import { forgetOutcomes } from './batch.store.js'

/** Deletes the results of batches that ended a day ago; their jobs stay. */
export const forgetBatches: Sweep = async ({ db, clock }) => {
  await db.transaction('system', (tx) => forgetOutcomes(tx, clock.now()))
}
