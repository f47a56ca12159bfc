import type { Sweep } from '../../platform/sweeps/sweep.js'
import { tableShapes } from '../table-shapes.js'
import { blankColumns, blankRows, deleteRows, endsWithTeam } from './delete-rows.js'

/**
 * Deletes rows of teams that are no more: a request that was under way when its team ended, or a fact of the ledger, may
 * have left one behind the deletion.
 */
export const sweepOrphans: Sweep = async ({ db }) => {
  for (const shape of await db.read('system', (reader) => tableShapes(db, reader))) {
    const take = endsWithTeam(shape) ? deleteRows : blankColumns(shape).length > 0 ? blankRows : undefined
    if (take === undefined) continue
    while ((await db.transaction('system', (tx) => take(tx, shape, 'nobody'))) > 0);
  }
}
