import { createPostgresBackend, Queue } from 'bullmq'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../config.js'
import { createLog } from '../../platform/process/log.js'
import { type ScratchDatabase, serviceDatabase } from '../../platform/testing/scratch-database.js'
import { openQueueWorker, QUEUE_SCHEMA } from './queue.js'
import { prepareQueue } from './queue-schema.js'

let scratch: ScratchDatabase
const log = createLog('silent', 'test')
beforeAll(async () => {
  scratch = await serviceDatabase()
  await prepareQueue({ migrationUrl: scratch.adminUrl, systemUrl: scratch.systemUrl })
})
afterAll(() => scratch.close())

const configWith = (env: Record<string, string>) =>
  readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...env })

/** Opens a worker, puts these jobs into its queue, and returns what it ran, as a role that owns nothing. */
async function ran(names: string[]): Promise<string[]> {
  const done: string[] = []
  const note = (name: string) => async () => void done.push(name)
  const worker = await openQueueWorker(configWith({}), log, { hourly: note('hourly'), daily: note('daily') })
  const connection = { connectionString: scratch.systemUrl, schema: QUEUE_SCHEMA }
  const queue = new Queue('accredit', { connection }, createPostgresBackend)
  for (const name of names) await queue.add(name, {})
  await expect.poll(() => done.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(names.length)
  await queue.close()
  await worker.close()
  return done
}

test('a due job runs as soon as it is put into the queue, though a worker seldom looks by itself', async () => {
  expect((await ran(['hourly', 'daily'])).toSorted()).toEqual(expect.arrayContaining(['daily', 'hourly']))
})
