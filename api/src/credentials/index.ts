import type { Capability } from '../capability.js'
import { startBatches } from './batch/run-batches.js'
import { CREDENTIAL_EVENTS } from './credential.events.js'
import { sendMailAgain } from './delivery/mail.store.js'
import { startMails } from './delivery/run-mails.js'

export const credentials: Capability = {
  name: 'credentials',
  operations: async () => (await import('./operations.js')).credentials,
  reruns: { 'credentials.mail': (tx, ctx, job) => sendMailAgain(tx, job.id, ctx.clock.now()) },
  runners: [startBatches, startMails],
  events: CREDENTIAL_EVENTS,
}
