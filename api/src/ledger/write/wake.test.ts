import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../../platform/database/listen.js'
import { createLog } from '../../platform/process/log.js'
import { type ScratchDatabase, serviceDatabase } from '../../platform/testing/scratch-database.js'
import { WORK_CHANNEL } from './channels.js'
import { openWaker } from './wake.js'

let scratch: ScratchDatabase
const log = createLog('silent', 'test')
beforeAll(async () => {
  scratch = await serviceDatabase()
})
afterAll(() => scratch.close())

/** Calls the waker as the test says; returns how often the worker was woken in the end. */
async function wakeThrough(
  call: (wake: () => void, isWoken: (times: number) => boolean) => Promise<void>,
): Promise<number> {
  let [count, isListening] = [0, false]
  const ear = listen(
    scratch.systemUrl,
    [WORK_CHANNEL],
    (heard) => {
      if (heard === undefined) isListening = true
      else count++
    },
    log,
  )
  await expect.poll(() => isListening).toBe(true)
  const waker = openWaker(scratch.db, log)
  await call(waker.wake, (times) => count >= times)
  await waker.close()
  await ear.close()
  return count
}

test('the worker is woken through Postgres; many calls in a moment are one', async () => {
  const count = await wakeThrough(async (wake, isWoken) => {
    for (let i = 0; i < 200; i++) wake()
    await expect.poll(() => isWoken(1)).toBe(true)
  })
  expect(count).toBe(1)
})

test('a stream of commits wakes the worker about forty times a second', async () => {
  let [calls, lasted] = [0, 0]
  const count = await wakeThrough(async (wake, isWoken) => {
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

test('nothing fails where the worker cannot be told: it looks by itself', async () => {
  const told: unknown[] = []
  const waker = openWaker(
    {
      async call() {
        told.push('tried')
        throw new Error('no connection')
      },
    },
    log,
  )
  waker.wake()
  await expect.poll(() => told).toEqual(['tried'])
  await waker.close()
})
