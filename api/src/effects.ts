import { sweepPreparedActions } from './actions/prepared-action.store.js'
import { didEffects, sweepKeys } from './dids/did.jobs.js'
import { didLedgerEffects } from './dids/did.ledger.js'
import { ecosystemEffects } from './ecosystems/ecosystems.jobs.js'
import { ecosystemLedgerEffects } from './ecosystems/ecosystems.ledger.js'
import { matchSigned, sweepPendingSignatures } from './ecosystems/pending/pending-signatures.js'
import type { JobEffects } from './ledger/write/job-effects.js'
import type { LedgerEffect } from './ledger/write/ledger-events.js'
import type { Sweep } from './platform/process/sweep.js'
import { copyLogos } from './profiles/logo-copies.js'
import { sweepLogos } from './profiles/logo-sweep.js'
import { registryJobEffects } from './revocation/registry.jobs.js'

// The worker's part of each capability. The operations, and the libraries that only HTTP needs, stay out of its process.

/** What happens when jobs end, by their kind. */
export const jobEffects: JobEffects = { ...didEffects, ...registryJobEffects, ...ecosystemEffects }

/** What final ledger events do to service rows, whoever caused them. */
export const ledgerEffects: readonly LedgerEffect[] = [...didLedgerEffects, matchSigned, ...ecosystemLedgerEffects]

/** What the worker does again and again outside transactions: after jobs ended, and every 30 seconds. May run twice. */
export const sweeps: readonly Sweep[] = [sweepKeys, sweepPreparedActions, sweepPendingSignatures]

/** The same for what waits for other hosts: nothing else waits for it. */
export const outwardSweeps: readonly Sweep[] = [copyLogos]

/** What it does once a day. */
export const dailySweeps: readonly Sweep[] = [sweepLogos]
