import type { Capability } from '../capability.js'
import { sendAgain } from '../dids/send-again.js'
import { ecosystemEffects } from './ecosystems.jobs.js'
import { ecosystemLedgerEffects } from './ecosystems.ledger.js'
import { ECOSYSTEM_EVENTS } from './events/ecosystem.events.js'
import { JOB } from './job-kinds.js'
import { matchSigned, sweepPendingSignatures } from './pending/pending-signatures.js'

export const ecosystems: Capability = {
  name: 'ecosystems',
  operations: async () => (await import('./operations.js')).ecosystems,
  jobs: ecosystemEffects,
  ledgerEffects: [matchSigned, ...ecosystemLedgerEffects],
  events: ECOSYSTEM_EVENTS,
  reruns: { [JOB.price]: sendAgain, [JOB.remove]: sendAgain },
  sweeps: { regular: [sweepPendingSignatures] },
}
