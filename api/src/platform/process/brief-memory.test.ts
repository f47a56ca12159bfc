import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BRIEFLY_MS, BriefMemory } from './brief-memory.js'

beforeEach(() => {
  vi.useFakeTimers()
  // A faked clock begins at 0, which means no time at all to `lru-cache`.
  vi.advanceTimersByTime(1)
})
afterEach(() => void vi.useRealTimers())

/** A source of answers that counts how often it is asked. */
function counted(tookMs = 0) {
  let asked = 0
  return async () => {
    asked += 1
    const answer = { asked }
    vi.advanceTimersByTime(tookMs)
    return answer
  }
}

test('an answer is asked for once a second, counted from when it was asked for', async () => {
  const memory = new BriefMemory<{ asked: number }>(10)
  const ask = counted(400)
  expect(await memory.get('a', ask)).toEqual({ asked: 1 })
  vi.advanceTimersByTime(BRIEFLY_MS - 400)
  expect(await memory.get('a', ask)).toEqual({ asked: 1 })
  vi.advanceTimersByTime(1)
  expect(await memory.get('a', ask)).toEqual({ asked: 2 })
})

test('an answer that took longer than a second, and no answer, are not remembered', async () => {
  const memory = new BriefMemory<{ asked: number }>(10)
  const slow = counted(BRIEFLY_MS + 1)
  expect([await memory.get('a', slow), await memory.get('a', slow)]).toEqual([{ asked: 1 }, { asked: 2 }])
  let asked = 0
  const nothing = async () => {
    asked += 1
    return undefined
  }
  expect([await memory.get('b', nothing), await memory.get('b', nothing), asked]).toEqual([undefined, undefined, 2])
})

test('the answer that was used longest ago makes room, and one that is forgotten is asked for again', async () => {
  const memory = new BriefMemory<{ asked: number }>(2)
  const ask = counted()
  for (const key of ['a', 'b', 'a', 'c']) await memory.get(key, ask)
  expect([await memory.get('a', ask), await memory.get('c', ask), await memory.get('b', ask)]).toEqual([
    { asked: 1 },
    { asked: 3 },
    { asked: 4 },
  ])
  memory.forget('b')
  expect(await memory.get('b', ask)).toEqual({ asked: 5 })
})
