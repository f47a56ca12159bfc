import type { Capability } from '../capability.js'
import { ecosystemEffects } from './ecosystems.jobs.js'
import { ecosystemLedgerEffects } from './ecosystems.ledger.js'
import { matchSigned, sweepPendingSignatures } from './pending/pending-signatures.js'

export const ecosystems: Capability = {
  name: 'ecosystems',
  operations: async () => (await import('./operations.js')).ecosystems,
  jobs: ecosystemEffects,
  ledgerEffects: [matchSigned, ...ecosystemLedgerEffects],
  sweeps: { regular: [sweepPendingSignatures] },
}
