import type { Capability, Rerun } from '../capability.js'
import { actingKeyHere } from '../dids/did.store.js'
import { resendRefused } from '../ledger/write/resend-refused.js'
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
  reruns: Object.fromEntries(
    [JOB.price, JOB.remove].map((kind): [string, Rerun] => [
      kind,
      (tx, _ctx, job) => resendRefused(tx, job, actingKeyHere),
    ]),
  ),
  sweeps: { regular: [sweepPendingSignatures] },
}
