import type { Capability } from '../capability.js'
import type { BeforeDidEnds } from './delete-did.js'
import { DID_EVENTS, didEffects, sweepKeys, sweepMacKeys } from './did.jobs.js'
import { didLedgerEffects } from './did.ledger.js'

/** @param before what other capabilities do before a DID ends */
export const didsWith = (before: () => Promise<BeforeDidEnds>): Capability => ({
  name: 'dids',
  operations: async () => (await import('./operations.js')).didsWith(await before()),
  jobs: didEffects,
  ledgerEffects: didLedgerEffects,
  sweeps: { afterJobs: [sweepKeys, sweepMacKeys] },
  events: DID_EVENTS,
})
