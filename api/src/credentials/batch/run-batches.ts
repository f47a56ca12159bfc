import { type Loop, startLoop } from '@accredit/process/loop'
import { tellFailedJob } from '../../jobs/tell-failed-job.js'
import type { Environment } from '../../platform/http/context.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { jobsEnded } from '../../platform/process/work-metrics.js'
import {
  BATCH_CHANNEL,
  type Counts,
  countRows,
  endTurn,
  type HeldBatch,
  holdBatches,
  isAnyOpen,
  keepHolding,
  nextRows,
  refusedRows,
  setJob,
} from './batch.store.js'
import { BATCH_JOB } from './batch-limits.js'
import { batchKey, openRow } from './batch-seal.js'

/** The batches that a process works on at once, each of another team. */
const MOST_AT_ONCE = 8
/** The rows of all of them that are in work: teams take turns. */
const MOST_ROWS = 32
const RENEW_MS = 3000
/** A batch whose worker was killed is found after this time, once nobody holds it. */
const LOOK_MS = 5000
/** The pause, in seconds, of a batch with rows that have to wait. */
const PAUSE_SECONDS = 2
/** The time after which such rows are refused. */
const PATIENCE_MS = 3_600_000
/** The refused rows that a job names. */
const MOST_NAMED = 100

/** Issues the rows of batches, in turns: a batch is held while rows of it are in work, and given back after some. */
export function startBatches(environment: Environment): { channel: string; loop: Loop } {
  const { db, log, random, clock } = environment
  const holder = random.uuid()
  const running = new Map<string, Promise<void>>()
  const places = new FairQueue({ running: MOST_ROWS, waiting: Number.POSITIVE_INFINITY })
  let isStopped = false
  const logError = (error: unknown): void => log.error({ err: error }, 'a batch could not be worked on')

  async function step(): Promise<boolean> {
    const free = MOST_AT_ONCE - running.size
    if (free <= 0 || !(await db.read('system', isAnyOpen))) return false
    for (const batch of await db.transaction('system', (tx) => holdBatches(tx, holder, free))) {
      // On a busy machine it may not have been kept in time: its turn goes on, and has it again.
      if (running.has(batch.job_id)) continue
      const work = takeTurn(batch)
        .catch(logError)
        .finally(() => {
          running.delete(batch.job_id)
          loop.wake()
        })
      running.set(batch.job_id, work)
    }
    return false
  }

  async function takeTurn(batch: HeldBatch): Promise<void> {
    // Issuing takes memory, which a worker without batches does without.
    const { openRowIssuer } = await import('./issue-rows.js')
    const issueRows = await openRowIssuer(environment)
    const isLast = batch.failing_since !== null && clock.now().getTime() - batch.failing_since.getTime() > PATIENCE_MS
    const renew = () => db.transaction('system', (tx) => keepHolding(tx, holder, [batch.job_id]).then(() => undefined))
    const renewing = setInterval(() => void renew().catch(logError), RENEW_MS)
    try {
      const rows = await db.read('system', (reader) => nextRows(reader, batch.job_id))
      const waiting = await issueRows(batch, rows, { places, isOver: () => isStopped, isLast })
      await giveBack(batch, waiting > 0)
    } finally {
      clearInterval(renewing)
    }
  }

  async function giveBack(batch: HeldBatch, isWaiting: boolean): Promise<void> {
    const { job_id: job, total, failing_since } = batch
    const now = clock.now()
    await db.transaction('system', async (tx) => {
      const counts = await countRows(tx, job)
      const hasEnded = counts.issued + counts.refused === total
      const failingSince = isWaiting ? (failing_since ?? now) : null
      const rest = isWaiting ? PAUSE_SECONDS : 0
      if (!(await endTurn(tx, job, { holder, now, failingSince, hasEnded, rest }))) return
      if (!hasEnded) return setJob(tx, job, { status: 'in_progress', result: { done: counts.issued, total } })
      const end = await ended(batch, counts, await refusedRows(tx, job, MOST_NAMED))
      await setJob(tx, job, end)
      jobsEnded.inc({ kind: BATCH_JOB, status: end.status })
      // The words of a refusal may repeat what the row says of somebody.
      if (end.status === 'error')
        await tellFailedJob(tx, job, { type: end.result.type, message: 'No row of the batch could be issued' })
    })
  }

  async function ended(
    { job_id, seal, total }: HeldBatch,
    { issued }: Counts,
    rows: Awaited<ReturnType<typeof refusedRows>>,
  ) {
    const key = batchKey(environment)
    const refused = rows.map(({ row, sealed }) => {
      const { error } = JSON.parse(openRow(key, { seal, row, holds: 'outcome' }, sealed))
      return { row, type: String(error.type), message: String(error.message) }
    })
    const counts = { done: issued, total, refused, result: `/credentials/batch/${job_id}/result` }
    const [first] = refused
    if (issued > 0 || first === undefined) return { status: 'finalized', result: counts } as const
    return { status: 'error', result: { type: first.type, message: first.message, ...counts } } as const
  }

  const loop = startLoop(step, { onError: logError, everyMs: LOOK_MS })
  loop.wake()
  return {
    channel: BATCH_CHANNEL,
    loop: {
      wake: loop.wake,
      async stop() {
        isStopped = true
        await loop.stop()
        await Promise.all(running.values())
      },
    },
  }
}
