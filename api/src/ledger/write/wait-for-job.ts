import type { JobStatus, JsonObject } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'
import { jobWatchOf } from './job-watch.js'
import type { StartedJob } from './start-job.js'

export interface JobState {
  id: string
  status: JobStatus
  result: JsonObject
  /** False when the job did not end within LEDGER_WAIT_MS. */
  done: boolean
}

export const JOB_HEADER = 'Accredit-Job'
export const PENDING_HEADER = 'Accredit-Pending'

/** The result of a request that needs no ledger action: job `0` is done. */
export const NO_JOB: StartedJob = { id: '0' }

/**
 * Waits until the follower has ended the job, at most LEDGER_WAIT_MS, without a connection. Sets `Accredit-Job`, and
 * `Accredit-Pending: true` when the job is not done.
 */
export async function waitForJob(
  ctx: Pick<Context, 'reply' | 'rest' | 'db' | 'config' | 'log'>,
  jobId: string,
): Promise<JobState> {
  ctx.reply.header(JOB_HEADER, jobId)
  if (jobId === NO_JOB.id) return { id: jobId, status: 'finalized', result: {}, done: true }
  const ended = await ctx.rest(() => jobWatchOf(ctx).ended(jobId, ctx.config.ledger.waitMs))
  if (ended) return { ...ended, done: true }
  ctx.reply.header(PENDING_HEADER, 'true')
  return { id: jobId, status: 'in_progress', result: {}, done: false }
}

/** Returns the answer of an operation that does not wait: `{ id, data }`. Names the job in `Accredit-Job` too. */
export function jobStarted<T extends Record<string, unknown>>(
  ctx: Context,
  job: StartedJob,
  data: T,
): { id: string; data: T } {
  ctx.reply.header(JOB_HEADER, job.id)
  return { id: job.id, data }
}
