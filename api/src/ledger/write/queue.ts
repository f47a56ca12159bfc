import { createPostgresBackend, Queue, Worker } from 'bullmq'
import type { Logger } from 'pino'
import type { Config } from '../../config.js'

/** The Postgres schema of the queue; `migrate` makes it. */
export const QUEUE_SCHEMA = 'bullmq'
const NAME = 'accredit'
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const

export interface QueueWorker {
  close(): Promise<void>
}

type QueueConfig = Pick<Config, 'redisUrl' | 'database'>

const postgres = (config: QueueConfig, max: number) => ({
  connectionString: config.database.systemUrl,
  schema: QUEUE_SCHEMA,
  max,
  // The queue only holds when something is due: a run that is lost comes again, and its commits need not wait for the disk.
  options: '-c synchronous_commit=off',
})

// BullMQ asks for connections without a retry limit, and closes those that it made.
const redis = (url: string) => ({ url, maxRetriesPerRequest: null })

/** The part of BullMQ's queue that is used here. */
interface OpenQueue {
  on(event: 'error', listener: (error: Error) => void): unknown
  upsertJobScheduler(
    id: string,
    every: { every: number },
    job: { name: string; opts: typeof KEEP_NOTHING },
  ): Promise<unknown>
  getJobScheduler(id: string): Promise<unknown>
  removeJobScheduler(id: string): Promise<unknown>
  close(): Promise<void>
}

function openQueue(config: QueueConfig): OpenQueue {
  return config.redisUrl
    ? new Queue(NAME, { connection: redis(config.redisUrl) })
    : new Queue(NAME, { connection: postgres(config, 2) }, createPostgresBackend)
}

const DAY_MS = 86_400_000
/** The schedules of earlier versions, which would go on by themselves. */
const FORMER = ['hourly']

/** Seconds and milliseconds: what is due is told, or known beforehand, and looking for it is the safety net. */
const RARELY = { drainDelay: 300, stalledInterval: 300_000 }

/** A Redis that comes back empty has forgotten what is due: it is told again so soon. */
const LOOK_MS = 300_000

/** Runs `daily` once a day on one of the workers. */
export async function openQueueWorker(
  config: QueueConfig,
  log: Logger,
  run: { daily: () => Promise<void> },
  lookMs = LOOK_MS,
): Promise<QueueWorker> {
  const process = async ({ name }: { name: string }): Promise<void> => {
    if (name === 'daily') await run.daily()
  }
  const options = { concurrency: 1, ...RARELY }
  const queue = openQueue(config)
  const worker = config.redisUrl
    ? new Worker(NAME, process, { ...options, connection: redis(config.redisUrl) })
    : new Worker(NAME, process, { ...options, connection: postgres(config, 3) }, createPostgresBackend)
  const warn = (error: Error): void => log.warn({ err: error }, 'the queue does not answer')
  queue.on('error', warn)
  worker.on('error', warn)
  worker.on('failed', (job, error) => log.error({ err: error, job: job?.name }, 'what the queue asked for failed'))
  const schedule = async (): Promise<void> => {
    if (!(await queue.getJobScheduler('daily')))
      await queue.upsertJobScheduler('daily', { every: DAY_MS }, { name: 'daily', opts: KEEP_NOTHING })
  }
  for (const name of FORMER) await queue.removeJobScheduler(name)
  await schedule()
  const looking = setInterval(() => void schedule().catch(warn), lookMs)
  return {
    async close() {
      clearInterval(looking)
      await worker.close()
      await queue.close()
    },
  }
}
