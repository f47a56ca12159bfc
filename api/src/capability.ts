import type { JobEffects } from './ledger/write/job-effects.js'
import type { LedgerEffect } from './ledger/write/ledger-events.js'
import type { Served } from './platform/http/operation.js'
import type { Sweep } from './platform/process/sweep.js'

/** What the worker does again and again, outside transactions. Each may run twice. */
export interface Sweeps {
  /** After jobs ended, and every 30 seconds. */
  afterJobs?: readonly Sweep[]
  /** Every 30 seconds, by themselves: they wait for other hosts, and nothing waits for them. */
  outward?: readonly Sweep[]
  daily?: readonly Sweep[]
}

/** What a capability is; its `index.ts` exports it. */
export interface Capability {
  /** Its folder. */
  name: string
  /** What it serves over HTTP. Loaded by the processes that serve it: the worker knows every capability, and no operation. */
  operations?: () => Promise<Served>
  /** Its kinds of jobs, and what their ends do to service rows. A kind whose end changes nothing here is left out. */
  jobs?: JobEffects
  /** What final ledger events do to service rows, whoever caused them. */
  ledgerEffects?: readonly LedgerEffect[]
  sweeps?: Sweeps
  /** The events that it tells web hooks of, by their names. */
  events?: readonly string[]
}

/** What capabilities serve over HTTP, in their order. */
export async function servedBy(capabilities: readonly Capability[]): Promise<Served[]> {
  return Promise.all(capabilities.flatMap(({ operations }) => operations?.() ?? []))
}
