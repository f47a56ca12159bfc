import { expect, test, vi } from 'vitest'
import { startLoop } from './loop.js'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A loop whose steps end when the test releases them, with the result that it gives. */
function held(everyMs?: number) {
  const steps: ((hasMore: boolean | Error) => void)[] = []
  const errors: unknown[] = []
  const step = () =>
    new Promise<boolean>((resolve, reject) => {
      steps.push((ends) => (ends instanceof Error ? reject(ends) : resolve(ends)))
    })
  const onError = (error: unknown) => errors.push(error)
  const loop = startLoop(step, everyMs === undefined ? { onError } : { onError, everyMs })
  return { loop, steps, errors }
}

test('a loop that nobody woke does nothing', async () => {
  const { steps } = held()
  await turn()
  expect(steps).toHaveLength(0)
})

test('steps follow one another while there is more to do, never two at once', async () => {
  const { loop, steps } = held()
  loop.wake()
  loop.wake()
  await turn()
  expect(steps).toHaveLength(1)
  steps[0]?.(true)
  await turn()
  expect(steps).toHaveLength(2)
  steps[1]?.(false)
  await turn()
  expect(steps).toHaveLength(2)
})

test('waking a running loop causes another step after the present one', async () => {
  const { loop, steps } = held()
  loop.wake()
  steps[0]?.(false)
  await turn()
  expect(steps).toHaveLength(1)
  loop.wake()
  await turn()
  loop.wake()
  steps[1]?.(false)
  await turn()
  expect(steps).toHaveLength(3)
})

test('a step that fails is told, and tried again after a pause', async () => {
  const { loop, steps, errors } = held()
  loop.wake()
  steps[0]?.(new Error('no database'))
  await expect.poll(() => steps.length, { timeout: 5000 }).toBe(2)
  expect(errors).toMatchObject([{ message: 'no database' }])
  steps[1]?.(false)
  await loop.stop()
})

test('a loop looks by itself every so often', async () => {
  const { loop, steps } = held(20)
  await expect.poll(() => steps.length, { timeout: 5000 }).toBe(1)
  steps[0]?.(false)
  await expect.poll(() => steps.length, { timeout: 5000 }).toBe(2)
  steps[1]?.(false)
  await loop.stop()
})

test('a loop looks by itself after its time and up to a quarter more, and one without a time never does', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.8)
  try {
    held()
    expect(vi.getTimerCount()).toBe(0)
    const { loop, steps } = held(1000)
    vi.advanceTimersByTime(1199)
    expect(steps).toHaveLength(0)
    vi.advanceTimersByTime(1)
    expect(steps).toHaveLength(1)
    const stopped = loop.stop()
    steps[0]?.(false)
    await stopped
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    random.mockRestore()
    vi.useRealTimers()
  }
})

test('a stop waits for the step at hand, and none begins after', async () => {
  const { loop, steps } = held(10)
  loop.wake()
  let hasStopped = false
  const stopped = loop.stop().then(() => {
    hasStopped = true
  })
  await turn()
  expect(hasStopped).toBe(false)
  steps[0]?.(true)
  await stopped
  loop.wake()
  await turn()
  expect(steps).toHaveLength(1)
})
