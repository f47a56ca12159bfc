import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bitAt, decodeStatusList, encodeStatusList, parseStatusIndex } from './encoded-list.js'

it('a list read back is the list that was written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 4096 }), async (bits) => {
      expect(new Uint8Array((await decodeStatusList(await encodeStatusList(bits))) ?? [])).toEqual(bits)
    }),
    { numRuns: 50 },
  )
})

it('index 0 is the highest bit of the first byte', () => {
  const bits = Uint8Array.from([0b1000_0001, 0b0100_0000])
  expect([0, 1, 7, 8, 9].map((index) => bitAt(bits, index))).toEqual([true, false, true, false, true])
  for (const index of [16, -1, 0.5, 2 ** 32]) expect(bitAt(bits, index)).toBeUndefined()
})

it('a list may have the prefix of its encoding', async () => {
  const bits = Uint8Array.from([1, 2, 3])
  expect(new Uint8Array((await decodeStatusList(`u${await encodeStatusList(bits)}`)) ?? [])).toEqual(bits)
})

it.each(['', 'not base64 gzip', 'H4sI', 'u'])('%j is no list', async (text) => {
  expect(await decodeStatusList(text)).toBeUndefined()
})

it('does not unpack a bomb', async () => {
  expect(await decodeStatusList(gzipSync(Buffer.alloc(64 * 1024 * 1024)).toString('base64url'))).toBeUndefined()
})

it.each<[unknown, number | undefined]>([
  ['0', 0],
  ['94567', 94567],
  [94567, 94567],
  ['07', undefined],
  ['-1', undefined],
  [1.5, undefined],
  ['1e3', undefined],
  [null, undefined],
  [['7'], undefined],
  ['99999999999', undefined],
])('the index %j is read as %s', (value, index) => expect(parseStatusIndex(value)).toBe(index))
