import type { Capability } from '../capability.js'
import { actingKeyHere } from '../dids/did.store.js'
import { resendRefused } from '../ledger/write/resend-refused.js'
import { ACTION_JOB } from './action-job.js'
import { sweepPreparedActions } from './prepared-action.store.js'

export const actions: Capability = {
  name: 'actions',
  operations: async () => (await import('./operations.js')).actions,
  reruns: { [ACTION_JOB]: (tx, _ctx, job) => resendRefused(tx, job, actingKeyHere) },
  sweeps: { regular: [sweepPreparedActions] },
}
