import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.js'
import { createLog } from '../platform/log.js'
import { type ScratchDatabase, scratchDatabase } from '../platform/testing.js'
import { openQueueWorker, openWaker } from './queue.js'
import { prepareQueue } from './queue-schema.js'

let scratch: ScratchDatabase
const log = createLog('silent', 'test')
beforeAll(async () => {
  scratch = await scratchDatabase()
  await prepareQueue({ migrationUrl: scratch.adminUrl, systemUrl: scratch.systemUrl })
})
afterAll(() => scratch.close())

const configWith = (env: Record<string, string>) =>
  readConfig({ DATABASE_URL: scratch.tenantUrl, SYSTEM_DATABASE_URL: scratch.systemUrl, ...env })

const idle = async (): Promise<void> => undefined

/** Resolves when the worker was woken; how often stands in `count`. */
async function wakeThrough(env: Record<string, string>, wakes: number, everyMs = 0): Promise<number> {
  const config = configWith(env)
  let count = 0
  let heard = (): void => undefined
  const woken = new Promise<void>((resolve) => {
    heard = resolve
  })
  const work = async (): Promise<void> => {
    count++
    heard()
  }
  const worker = await openQueueWorker(config, log, { work, hourly: idle, daily: idle })
  const waker = openWaker(config, log)
  for (let i = 0; i < wakes; i++) {
    waker.wake()
    if (everyMs > 0) await setTimeout(everyMs)
  }
  await woken
  await waker.close()
  await worker.close()
  return count
}

test('the worker is woken through Postgres, as a role that owns nothing; many calls in a moment are one', async () => {
  expect(await wakeThrough({}, 200)).toBe(1)
})

test('a stream of commits wakes the worker about forty times a second', async () => {
  const started = performance.now()
  const count = await wakeThrough({}, 50, 5)
  expect(count).toBeGreaterThan(1)
  expect(count).toBeLessThanOrEqual((performance.now() - started) / 25 + 1)
  expect(count).toBeLessThan(25)
})

test.runIf(process.env.TEST_REDIS_URL)('the worker is woken through Redis when REDIS_URL is set', async () => {
  expect(await wakeThrough({ REDIS_URL: process.env.TEST_REDIS_URL ?? '' }, 5)).toBe(1)
})

test('without a queue nothing fails: the worker looks by itself', async () => {
  const config = configWith({ REDIS_URL: 'redis://127.0.0.1:1' })
  const waker = openWaker(config, log)
  waker.wake()
  await waker.close()
})
