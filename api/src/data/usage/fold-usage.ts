import type { Sweep } from '../../platform/sweeps/sweep.js'
import { foldCounts } from './usage.store.js'

/** Keeps the counts of a day few. */
export const foldUsage: Sweep = ({ db }) => db.transaction('system', foldCounts)
