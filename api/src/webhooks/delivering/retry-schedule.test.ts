import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTry, TRIED_FOR_MS } from './retry-schedule.js'

const begin = new Date('2026-01-31T12:00:00Z')
const giveUp = new Date(begin.getTime() + TRIED_FOR_MS)

function triesWith(chances: () => number): number[] {
  const at: number[] = []
  for (let now: Date | undefined = begin; now; now = nextTry(at.length, now, giveUp, chances()))
    at.push(now.getTime() - begin.getTime())
  return at
}

test('an event is tried at once, then ever more rarely, and for the last time after 24 hours', () => {
  const minutes = triesWith(() => 0.5).map((ms) => ms / 60_000)
  expect(minutes.slice(0, 4).map((at) => Math.round(at * 100) / 100)).toEqual([0, 0.08, 0.58, 2.58])
  expect(minutes.at(-1)).toBe(24 * 60)
  expect(minutes.length).toBe(15)
})

test('tries come later and later and end after 24 hours, whatever the chances', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 30, maxLength: 30 }), (chances) => {
      let i = 0
      const tries = triesWith(() => chances[i++ % chances.length] ?? 0)
      expect(tries).toEqual([...tries].sort((a, b) => a - b))
      expect(tries.at(-1)).toBe(TRIED_FOR_MS)
      expect(tries.length).toBeLessThan(20)
    }),
  )
})

test('two events that failed together are not tried again together', () => {
  const [soon, late] = [0, 1].map((chance) => nextTry(3, begin, giveUp, chance)?.getTime() ?? 0)
  expect(Number(late) - Number(soon)).toBe(0.4 * 120_000)
})
