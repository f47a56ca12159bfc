import { deflateSync } from 'node:zlib'
import { StatusList } from '@sd-jwt/jwt-status-list'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MAX_LIST_BYTES } from '../status-list/encoded-list.js'
import { BITS, decodeStatuses, encodeStatuses, packed, statusIn } from './packed-statuses.js'

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

it.each<[1 | 2, string, number[]]>([
  [1, 'eNrbuRgAAhcBXQ', [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]],
  [2, 'eNo76fITAAPfAgc', [1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3]],
])('reads the example of the draft with %i bits', async (bits, lst, statuses) => {
  const bytes = (await decodeStatuses(bytesOf(lst))) ?? new Uint8Array()
  expect(statuses.map((_, index) => statusIn(bytes, index, bits))).toEqual(statuses)
  expect([-1, 0.5, statuses.length].map((index) => statusIn(bytes, index, bits))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('reads what another library packs, in every size', async () => {
  const sized = fc.constantFrom(...BITS).chain((bits) =>
    fc.record({
      bits: fc.constant(bits),
      // The library reads whole bytes only.
      statuses: fc
        .array(fc.integer({ min: 0, max: 2 ** bits - 1 }), { minLength: 8, maxLength: 400 })
        .map((all) => all.slice(0, all.length - (all.length % 8))),
    }),
  )
  await fc.assert(
    fc.asyncProperty(sized, async ({ bits, statuses }) => {
      const bytes = await decodeStatuses(bytesOf(new StatusList(statuses, bits).compressStatusList()))
      expect(statuses.map((_, index) => statusIn(bytes ?? new Uint8Array(), index, bits))).toEqual(statuses)
    }),
    { numRuns: 100 },
  )
})

it.each<[string, number, 1 | 2]>([
  ['revoked', 1, 1],
  ['suspended', 2, 2],
])('another library reads a list of ours in which some are %s', async (_, status, bits) => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (set) => {
      const list = StatusList.decompressStatusList(await encodeStatuses(packed(set, status, bits)), bits)
      const told = Array.from({ length: set.length * 8 }, (_, index) => list.getStatus(index))
      expect(told).toEqual(told.map((_, index) => ((set[index >> 3] ?? 0) & (0x80 >> (index & 7)) ? status : 0)))
    }),
    { numRuns: 50 },
  )
})

it('does not unpack a bomb, nor what is not packed', async () => {
  expect(await decodeStatuses(deflateSync(Buffer.alloc(MAX_LIST_BYTES)))).toHaveLength(MAX_LIST_BYTES)
  expect(await decodeStatuses(deflateSync(Buffer.alloc(MAX_LIST_BYTES + 1)))).toBeUndefined()
  expect(await decodeStatuses(Buffer.from('hello'))).toBeUndefined()
})
