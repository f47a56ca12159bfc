import { capabilities } from './capabilities.js'
import type { Leader, Runner, Sweeps } from './capability.js'
import type { JobEffects } from './ledger/write/job-effects.js'
import type { LedgerEffect } from './ledger/write/ledger-events.js'
import type { Sweep } from './platform/sweeps/sweep.js'

// The worker's part of all capabilities, in their order.

export const jobEffects: JobEffects = Object.fromEntries(capabilities.flatMap(({ jobs = {} }) => Object.entries(jobs)))

export const ledgerEffects: readonly LedgerEffect[] = capabilities.flatMap(({ ledgerEffects = [] }) => ledgerEffects)

export const sweeps = (kind: keyof Sweeps): readonly Sweep[] =>
  capabilities.flatMap((capability) => capability.sweeps?.[kind] ?? [])

export const leaders: readonly Leader[] = capabilities.flatMap(({ leaders = [] }) => leaders)

export const runners: readonly Runner[] = capabilities.flatMap(({ runners = [] }) => runners)
