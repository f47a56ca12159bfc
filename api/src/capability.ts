import type { Loop } from '@accredit/process/loop'
import type { JobEffects } from './ledger/write/job-effects.js'
import type { LedgerEffect } from './ledger/write/ledger-events.js'
import type { FailedJobRow } from './ledger/write/resend-refused.js'
import type { Tx } from './platform/database/database.js'
import type { Context, Environment } from './platform/http/context.js'
import type { Served } from './platform/http/operation.js'
import type { Sweep } from './platform/sweeps/sweep.js'

/** The tasks that the worker repeats, outside transactions. Each may run twice. */
export interface Sweeps {
  /** These tasks run soon after jobs ended, and every 30 seconds. */
  afterJobs?: readonly Sweep[]
  /** These tasks run every 30 seconds. */
  regular?: readonly Sweep[]
  /** These tasks run every 30 seconds, by themselves: they wait for other hosts, and nothing waits for them. */
  slow?: readonly Sweep[]
  /** So do these, which reach people: they begin as runners do. */
  outward?: readonly Sweep[]
  /** These tasks run every ten minutes. */
  tenMinutes?: readonly Sweep[]
  daily?: readonly Sweep[]
}

/** Long work of the worker, in a loop of its own, which is woken by notifications on a channel. */
export type Runner = (environment: Environment) => Running

export interface Running {
  channel: string
  loop: Loop
}

/** Long work whose beginning all else waits for that reaches people, web hooks or the ledger. */
export type Leader = (environment: Environment) => Running & {
  /** Resolves when that beginning is done, or has failed for good. */
  ready: Promise<void>
}

/** A capability; its `index.ts` exports it. */
/**
 * Begins a failed job anew, in the transaction of the request for it.
 * @returns false where what it needs is gone
 */
export type Rerun = (tx: Tx, ctx: Context, job: FailedJobRow) => Promise<boolean>

export interface Capability {
  /** Its folder. */
  name: string
  /** Loads the operations that it serves over HTTP. Only processes that serve them call this: the worker loads none. */
  operations?: () => Promise<Served>
  /** The effects that the end of each kind of job has on service rows. Kinds without an effect are left out. */
  jobs?: JobEffects
  /** The kinds of its jobs that can be begun anew when they failed. Others are by repeating their operation. */
  reruns?: Readonly<Record<string, Rerun>>
  /** The effects of final ledger events on service rows, whatever caused the events. */
  ledgerEffects?: readonly LedgerEffect[]
  sweeps?: Sweeps
  leaders?: readonly Leader[]
  runners?: readonly Runner[]
  /** The names of the events that it sends to web hooks. */
  events?: readonly string[]
}

/** Returns what capabilities serve over HTTP, in their order. */
export async function servedBy(capabilities: readonly Capability[]): Promise<Served[]> {
  return Promise.all(capabilities.flatMap(({ operations }) => operations?.() ?? []))
}
