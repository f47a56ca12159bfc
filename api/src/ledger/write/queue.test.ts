import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../config.js'
import { createLog } from '../../platform/process/log.js'
import { type ScratchDatabase, serviceDatabase } from '../../platform/testing/scratch-database.js'
import { openQueueWorker, openWaker } from './queue.js'
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

const idle = async (): Promise<void> => undefined

/** Calls the worker as the test says, until it woke as often as the test says; returns how often it woke in the end. */
async function wakeThrough(
  env: Record<string, string>,
  call: (wake: () => void, isWoken: (times: number) => boolean) => Promise<void>,
): Promise<number> {
  const config = configWith(env)
  let count = 0
  const work = async (): Promise<void> => {
    count++
  }
  const worker = await openQueueWorker(config, log, { work, hourly: idle, daily: idle })
  const waker = openWaker(config, log)
  await call(waker.wake, (times) => count >= times)
  await waker.close()
  await worker.close()
  return count
}

const atOnce = (times: number) => async (wake: () => void, isWoken: (times: number) => boolean) => {
  for (let i = 0; i < times; i++) wake()
  await expect.poll(() => isWoken(1)).toBe(true)
}

test('the worker is woken through Postgres, as a role that owns nothing; many calls in a moment are one', async () => {
  expect(await wakeThrough({}, atOnce(200))).toBe(1)
})

test('a stream of commits wakes the worker about forty times a second', async () => {
  let [calls, lasted] = [0, 0]
  const count = await wakeThrough({}, async (wake, isWoken) => {
    const started = performance.now()
    // The pauses may be of any length on this machine: calls outnumber wakes only where wakes are apart.
    for (; lasted < 250 || !isWoken(2); calls++) {
      wake()
      await setTimeout(5)
      lasted = performance.now() - started
    }
  })
  expect(count).toBeLessThanOrEqual(Math.min(calls, lasted / 25 + 2))
})

test.runIf(process.env.TEST_REDIS_URL)('the worker is woken through Redis when REDIS_URL is set', async () => {
  expect(await wakeThrough({ REDIS_URL: process.env.TEST_REDIS_URL ?? '' }, atOnce(5))).toBe(1)
})

test('nothing fails without a queue: the worker looks by itself', async () => {
  const config = configWith({ REDIS_URL: 'redis://127.0.0.1:1' })
  const waker = openWaker(config, log)
  waker.wake()
  await waker.close()
})
