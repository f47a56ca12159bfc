import { createPostgresBackend, Queue, Worker } from 'bullmq'
import type { Logger } from 'pino'
import type { Config } from '../../config.js'

/** The Postgres schema of the queue; `migrate` makes it. */
export const QUEUE_SCHEMA = 'bullmq'
const NAME = 'accredit'
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const

export interface Waker {
  /** Tells the worker that there is work. Merges many calls of a moment into one. Never throws. */
  wake(): void
  close(): Promise<void>
}

export interface QueueWorker {
  close(): Promise<void>
}

type QueueConfig = Pick<Config, 'redisUrl' | 'database'>

const postgres = (config: QueueConfig, max: number) => ({
  connectionString: config.database.systemUrl,
  schema: QUEUE_SCHEMA,
  max,
  // The queue only wakes: the work itself stands elsewhere, and the queue's commits need not wait for the disk.
  options: '-c synchronous_commit=off',
})

// BullMQ asks for connections without a retry limit, and closes those that it made.
const redis = (url: string) => ({ url, maxRetriesPerRequest: null })

const GATHER_MS = 3
/** Each job in the queue costs Postgres about two milliseconds. */
const APART_MS = 25

/** The part of BullMQ's queue that is used here. */
interface OpenQueue {
  on(event: 'error', listener: (error: Error) => void): unknown
  add(name: string, data: object, options: typeof KEEP_NOTHING): Promise<unknown>
  upsertJobScheduler(
    id: string,
    every: { every: number },
    job: { name: string; opts: typeof KEEP_NOTHING },
  ): Promise<unknown>
  close(): Promise<void>
}

function openQueue(config: QueueConfig): OpenQueue {
  return config.redisUrl
    ? new Queue(NAME, { connection: redis(config.redisUrl) })
    : new Queue(NAME, { connection: postgres(config, 2) }, createPostgresBackend)
}

export function openWaker(config: QueueConfig, log: Logger): Waker {
  const queue = openQueue(config)
  queue.on('error', (error) =>
    log.warn({ err: error }, 'the queue does not answer; the worker finds its work by itself'),
  )
  let waiting: NodeJS.Timeout | undefined
  let addedAt = Number.NEGATIVE_INFINITY
  let adding: Promise<unknown> = Promise.resolve()
  return {
    wake() {
      // One job serves all that commits within a few milliseconds; under load there are no more jobs than the worker
      // can use.
      const pauseMs = Math.max(GATHER_MS, addedAt + APART_MS - performance.now())
      waiting ??= setTimeout(() => {
        waiting = undefined
        addedAt = performance.now()
        adding = queue
          .add('wake', {}, KEEP_NOTHING)
          .catch((error) => log.warn({ err: error }, 'the worker was not woken'))
      }, pauseMs)
    },
    async close() {
      clearTimeout(waiting)
      await adding
      await queue.close()
    },
  }
}

const SCHEDULE = [
  ['hourly', 3_600_000],
  ['daily', 86_400_000],
] as const

/** Runs `work` when woken, `hourly` once an hour and `daily` once a day on one of the workers. */
export async function openQueueWorker(
  config: QueueConfig,
  log: Logger,
  run: Record<'work' | 'hourly' | 'daily', () => Promise<void>>,
): Promise<QueueWorker> {
  const process = async ({ name }: { name: string }): Promise<void> =>
    run[name === 'hourly' || name === 'daily' ? name : 'work']()
  const options = { concurrency: 1 }
  const queue = openQueue(config)
  const worker = config.redisUrl
    ? new Worker(NAME, process, { ...options, connection: redis(config.redisUrl) })
    : new Worker(NAME, process, { ...options, connection: postgres(config, 3) }, createPostgresBackend)
  const warn = (error: Error): void => log.warn({ err: error }, 'the queue does not answer')
  queue.on('error', warn)
  worker.on('error', warn)
  worker.on('failed', (job, error) => log.error({ err: error, job: job?.name }, 'what the queue asked for failed'))
  for (const [name, every] of SCHEDULE) await queue.upsertJobScheduler(name, { every }, { name, opts: KEEP_NOTHING })
  return {
    async close() {
      await worker.close()
      await queue.close()
    },
  }
}
