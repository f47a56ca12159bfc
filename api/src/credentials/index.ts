import type { Capability } from '../capability.js'
import { forgetBatches } from './batch/forget-batches.js'
import { startBatches } from './batch/run-batches.js'
import { CREDENTIAL_EVENTS } from './credential.events.js'
import { startMails } from './delivery/run-mails.js'

export const credentials: Capability = {
  name: 'credentials',
  operations: async () => (await import('./operations.js')).credentials,
  sweeps: { regular: [forgetBatches] },
  runners: [startBatches, startMails],
  events: CREDENTIAL_EVENTS,
}
