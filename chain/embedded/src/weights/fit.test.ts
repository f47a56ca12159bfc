import { expect, test } from 'vitest'
import { coverCounts, fitLine, middleHalf, notBelow, type Sample, valueAt } from './fit.js'

const grid = (value: (a: number, b: number) => number): Sample[] =>
  [0, 1, 5, 32].flatMap((a) => [0, 1_000, 1_000_000].map((b) => ({ at: [a, b], value: value(a, b) })))

test('a line is found again, whatever the size of its components', () => {
  const { base, slopes } = fitLine(grid((a, b) => 40 + 7 * a + 0.002 * b))
  expect(base).toBeCloseTo(40, 3)
  expect(slopes[0]).toBeCloseTo(7, 3)
  expect(slopes[1]).toBeCloseTo(0.002, 6)
})

test('a component that seems to save costs nothing, and a base is not negative', () => {
  const saving = fitLine(grid((a, b) => 5_000 + 7 * a - 0.001 * b))
  expect(saving.slopes[1]).toBe(0)
  expect(saving.slopes[0]).toBeCloseTo(7, 3)
  const steep = fitLine([1, 2, 3, 4].map((a) => ({ at: [a], value: 4 + a * a })))
  expect(steep.base).toBeGreaterThan(0)
  expect(valueAt(steep, [1])).toBeCloseTo(5, 6)
  const steeper = fitLine([200, 400, 600].map((a) => ({ at: [a], value: a * a })))
  expect(steeper.base).toBe(0)
  expect(steeper.slopes[0]).toBeGreaterThan(200)
})

test('a line is turned up to what was measured at the end of a curve, and never down', () => {
  const line = { base: 10, slopes: [2, 0] }
  expect(notBelow(line, { at: [5, 9], value: 40 })).toEqual({ base: 10, slopes: [6, 0] })
  expect(notBelow(line, { at: [5, 9], value: 19 })).toBe(line)
  expect(notBelow({ base: 10, slopes: [] }, { at: [], value: 11 })).toEqual({ base: 10, slopes: [] })
})

test('the base without components is the mean', () => {
  const { base, slopes } = fitLine([3, 4, 5].map((value) => ({ at: [], value })))
  expect(base).toBeCloseTo(4, 9)
  expect(slopes).toEqual([])
})

test('counts are whole and nowhere below what was counted', () => {
  const samples = grid((a, b) => 2 + 3 * a + Math.ceil(a / 25) - Math.floor(b / 500_000))
  const line = coverCounts(samples)
  expect(line.slopes.every(Number.isInteger)).toBe(true)
  expect(Number.isInteger(line.base)).toBe(true)
  for (const { at, value } of samples) expect(valueAt(line, at)).toBeGreaterThanOrEqual(value)
  expect(samples.some(({ at, value }) => valueAt(line, at) === value)).toBe(true)
})

test('the quarters at both ends are left out', () => {
  expect(middleHalf([900, 3, 1, 2, 4, 5, 0, 800])).toEqual([2, 3, 4, 5])
  expect(middleHalf([7])).toEqual([7])
})
