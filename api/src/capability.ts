import type { JobEffects } from './ledger/write/job-effects.js'
import type { LedgerEffect } from './ledger/write/ledger-events.js'
import type { Served } from './platform/http/operation.js'
import type { Sweep } from './platform/sweeps/sweep.js'

/** The tasks that the worker repeats, outside transactions. Each may run twice. */
export interface Sweeps {
  /** After jobs ended, and every 30 seconds. */
  afterJobs?: readonly Sweep[]
  /** Every 30 seconds, by themselves: they wait for other hosts, and nothing waits for them. */
  outward?: readonly Sweep[]
  daily?: readonly Sweep[]
}

/** A capability; its `index.ts` exports it. */
export interface Capability {
  /** Its folder. */
  name: string
  /** Loads what it serves over HTTP, in the processes that serve it: the worker loads no operations. */
  operations?: () => Promise<Served>
  /** Its kinds of jobs, and the effects of their ends on service rows. Kinds whose end changes nothing are left out. */
  jobs?: JobEffects
  /** The effects of final ledger events on service rows, by any cause. */
  ledgerEffects?: readonly LedgerEffect[]
  sweeps?: Sweeps
  /** The names of the events that it sends to web hooks. */
  events?: readonly string[]
}

/** Returns what capabilities serve over HTTP, in their order. */
export async function servedBy(capabilities: readonly Capability[]): Promise<Served[]> {
  return Promise.all(capabilities.flatMap(({ operations }) => operations?.() ?? []))
}
