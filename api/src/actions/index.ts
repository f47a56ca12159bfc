import type { Capability } from '../capability.js'
import { sweepPreparedActions } from './prepared-action.store.js'

export const actions: Capability = {
  name: 'actions',
  operations: async () => (await import('./operations.js')).actions,
  sweeps: { regular: [sweepPreparedActions] },
}
