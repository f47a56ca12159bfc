import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeBitstring, encodeBitstring, statusIn } from './encoded-bitstring.js'

it('a list read back is the list that was written, and its text says how it is encoded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 4096 }), async (bits) => {
      const text = await encodeBitstring(bits)
      expect(text).toMatch(/^uH4sI/)
      expect(new Uint8Array((await decodeBitstring(text)) ?? [])).toEqual(bits)
      expect(await decodeBitstring(text.slice(1))).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})

it('the first bit of an entry is its highest, wherever it begins', () => {
  const bits = Uint8Array.from([0b1010_0110, 0b1000_0000, 0b0000_0001])
  expect([0, 1, 7, 8, 23, 24, -1].map((index) => statusIn(bits, index, 1))).toEqual([
    1,
    0,
    0,
    1,
    1,
    undefined,
    undefined,
  ])
  expect([0, 1, 2, 3, 4].map((index) => statusIn(bits, index, 3))).toEqual([5, 1, 5, 0, 0])
  expect([7, 8].map((index) => statusIn(bits, index, 3))).toEqual([1, undefined])
  expect([0, 1, 2].map((index) => statusIn(bits, index, 16))).toEqual([0b1010_0110_1000_0000, undefined, undefined])
  expect(statusIn(bits, Number.MAX_SAFE_INTEGER, 2)).toBeUndefined()
})
