import type { Capability } from '../capability.js'
import { forgetBatches } from './batch/forget-batches.js'
import { startBatches } from './batch/run-batches.js'
import { CREDENTIAL_EVENTS } from './credential.events.js'

export const credentials: Capability = {
  name: 'credentials',
  operations: async () => (await import('./operations.js')).credentials,
  sweeps: { regular: [forgetBatches] },
  runners: [startBatches],
  events: CREDENTIAL_EVENTS,
}
