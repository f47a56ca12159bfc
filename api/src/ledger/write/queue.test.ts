import { createPostgresBackend, Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.js'
import { createLog } from '../../platform/process/log.js'
import { hasRedis, needsRedis, type RedisServer, startRedis } from '../../platform/testing/redis-server.js'
import { type ScratchDatabase, serviceDatabase } from '../../platform/testing/scratch-database.js'
import { openQueueWorker, QUEUE_SCHEMA, type QueueWorker } from './queue.js'
import { prepareQueue } from './queue-schema.js'

const log = createLog('silent', 'test')

let scratch: ScratchDatabase
let redis: RedisServer | undefined
const opened: QueueWorker[] = []
beforeAll(async () => {
  scratch = await serviceDatabase()
  await prepareQueue({ migrationUrl: scratch.adminUrl, systemUrl: scratch.systemUrl })
  if (hasRedis) redis = await startRedis()
})
afterEach(async () => {
  for (const worker of opened.splice(0)) await worker.close()
})
afterAll(async () => {
  await redis?.kill()
  await scratch.close()
})

/** Opens a worker that notes what it ran; as a role that owns nothing, where the queue is on Postgres. */
async function openNoting(
  env: Record<string, string>,
  fails: () => boolean = () => false,
  lookMs?: number,
): Promise<string[]> {
  const done: string[] = []
  const note = (name: string) => async () => {
    if (fails()) throw new Error('not now')
    done.push(name)
  }
  const config = readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...env })
  opened.push(await openQueueWorker(config, log, { daily: note('daily') }, lookMs))
  return done
}

const BACKENDS = [
  {
    name: 'Postgres',
    isThere: true,
    env: () => ({}),
    queue: () =>
      new Queue(
        'accredit',
        { connection: { connectionString: scratch.systemUrl, schema: QUEUE_SCHEMA } },
        createPostgresBackend,
      ),
  },
  {
    name: 'Redis',
    isThere: hasRedis,
    env: () => ({ REDIS_URL: redis?.url ?? '' }),
    queue: () => new Queue('accredit', { connection: { url: redis?.url ?? '' } }),
  },
]

needsRedis()

describe.each(BACKENDS)('on $name', ({ isThere, env, queue }) => {
  const add = async (...names: string[]) => {
    const open = queue()
    for (const name of names) await open.add(name, {}, { removeOnComplete: true, removeOnFail: true })
    await open.close()
  }

  test.runIf(isThere)(
    'a due job runs as soon as it is in the queue, though a worker seldom looks by itself',
    async () => {
      const done = await openNoting(env())
      await add('daily')
      await expect.poll(() => done, { timeout: 20_000 }).toContain('daily')
    },
  )

  test.runIf(isThere)('a job runs on one of two workers', async () => {
    const [one, two] = [await openNoting(env()), await openNoting(env())]
    await new Promise((resolve) => setTimeout(resolve, 500))
    const count = () => one.length + two.length
    const before = count()
    await add(...Array.from({ length: 20 }, () => 'daily'))
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 20)
    await new Promise((resolve) => setTimeout(resolve, 500))
    // The schedule may have added one.
    expect(count()).toBeLessThanOrEqual(before + 22)
  })

  test.runIf(isThere)('a job that fails stops no later one', async () => {
    let isFailing = true
    const done = await openNoting(env(), () => isFailing)
    await add('daily')
    await new Promise((resolve) => setTimeout(resolve, 300))
    isFailing = false
    await add('daily')
    await expect.poll(() => done, { timeout: 20_000 }).toContain('daily')
  })
})

test.runIf(hasRedis)(
  'a Redis that is gone, and comes back empty, is told again what is due, and used by the worker that runs',
  async () => {
    if (redis === undefined) throw new Error('beforeAll starts it')
    const done = await openNoting({ REDIS_URL: redis.url }, undefined, 500)
    await redis.kill()
    await new Promise((resolve) => setTimeout(resolve, 500))
    await redis.start()
    const open = new Queue('accredit', { connection: { url: redis.url } })
    await expect.poll(() => open.getJobScheduler('daily'), { timeout: 30_000 }).toBeDefined()
    const before = done.length
    await open.add('daily', {}, { removeOnComplete: true })
    await expect.poll(() => done.length, { timeout: 30_000 }).toBeGreaterThan(before)
    await open.close()
  },
)
