import { actions, sweepPreparedActions } from './actions/index.js'
import { audit } from './audit/index.js'
import { credentials } from './credentials/index.js'
import { didEffects, didLedgerEffects, didsWith, sweepKeys } from './dids/index.js'
import { ecosystemEffects, ecosystemLedgerEffects, ecosystems } from './ecosystems/index.js'
import { jobs } from './jobs/index.js'
import type { JobEffects } from './ledger/job-effects.js'
import type { LedgerEffect } from './ledger/ledger-events.js'
import type { Capability } from './platform/operation.js'
import type { Sweep } from './platform/sweep.js'
import { profiles, sweepLogos } from './profiles/index.js'
import { listsBeforeDidEnds, registryJobEffects, revocation } from './revocation/index.js'
import { schemas } from './schemas/index.js'
import { verification } from './verification/index.js'

/** What the service can do. A new capability adds its line here. */
export const capabilities: readonly Capability[] = [
  jobs,
  didsWith(listsBeforeDidEnds),
  actions,
  profiles,
  schemas,
  revocation,
  ecosystems,
  audit,
  credentials,
  verification,
]

/** What happens when jobs end, by their kind. */
export const jobEffects: JobEffects = { ...didEffects, ...registryJobEffects, ...ecosystemEffects }

/** What final ledger events do to service rows, whoever caused them. */
export const ledgerEffects: readonly LedgerEffect[] = [...didLedgerEffects, ...ecosystemLedgerEffects]

/** What the worker does again and again outside transactions: after jobs ended, and every 30 seconds. May run twice. */
export const sweeps: readonly Sweep[] = [sweepKeys, sweepPreparedActions]

/** What it does once a day. */
export const dailySweeps: readonly Sweep[] = [sweepLogos]
