import type { Capability } from '../capability.js'
import { sendAgain } from '../dids/send-again.js'
import { ACTION_JOB } from './action-job.js'
import { sweepPreparedActions } from './prepared-action.store.js'

export const actions: Capability = {
  name: 'actions',
  operations: async () => (await import('./operations.js')).actions,
  reruns: { [ACTION_JOB]: sendAgain },
  sweeps: { regular: [sweepPreparedActions] },
}
