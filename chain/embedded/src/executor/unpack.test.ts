import { readFileSync } from 'node:fs'
import { decompress } from 'fzstd'
import { describe, expect, test } from 'vitest'
import { unpackedFrame } from './unpack.js'
import { wasmOf } from './wasm.js'

const MOST = 50 * 1024 * 1024
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]
const MEGABYTE = 2 ** 20
/** The first bytes of a compressed runtime code. */
const COMPRESSED = Buffer.from('52bc537646db8e05', 'hex')

const runtime = (name: string) => readFileSync(new URL(`../../../artifact/${name}`, import.meta.url))

/** A block of one byte that is repeated so often, or of bytes as they are. */
const run = (size: number, isLast = false) => [...header(size, 1, isLast), 0xaa]
const raw = (bytes: readonly number[], isLast = false) => [...header(bytes.length, 0, isLast), ...bytes]
function header(size: number, type: number, isLast: boolean): number[] {
  const value = (size << 3) | (type << 1) | Number(isLast)
  return [value & 255, (value >> 8) & 255, value >> 16]
}
const times = (count: number, block: readonly number[]) => Array(count).fill(block).flat()

/** A frame that tells no size and has a window of 2 MiB, or the one with this exponent. */
const frame = (blocks: readonly number[], exponent = 21) =>
  Uint8Array.from([...MAGIC, 0, (exponent - 10) << 3, ...blocks])
/** A frame that tells its size in eight bytes, which is its window, too. */
const sized = (size: bigint, blocks: readonly number[]) => {
  const told = Buffer.alloc(8)
  told.writeBigUInt64LE(size)
  return Uint8Array.from([...MAGIC, 0b1110_0000, ...told, ...blocks])
}

/** The most memory outside the heap that a call has taken, as far as it still holds it. */
function grown(call: () => unknown): number {
  const before = process.memoryUsage().arrayBuffers
  expect(call).toThrow()
  return process.memoryUsage().arrayBuffers - before
}

test.each(['accredit_runtime.compact.compressed.wasm', 'testing/next.wasm'])('%s unpacks to its bytes', (name) => {
  const code = runtime(name)
  expect(Buffer.from(wasmOf(code)).equals(decompress(code.subarray(COMPRESSED.length)))).toBe(true)
})

test('a frame of the greatest size is unpacked, with or without telling it', () => {
  const blocks = [...times(4, run(MEGABYTE)), ...raw([1, 2, 3], true)]
  const size = 4 * MEGABYTE + 3
  for (const bytes of [frame(blocks), sized(BigInt(size), blocks)]) {
    const unpacked = unpackedFrame(bytes, size)
    expect([unpacked.length, unpacked[size - 4], unpacked[size - 1]]).toEqual([size, 0xaa, 3])
    expect(() => unpackedFrame(bytes, size - 1)).toThrow(`it unpacks to more than ${size - 1} bytes`)
  }
})

describe('a small frame of a lying node', () => {
  const GIGABYTES = times(4_096, run(MEGABYTE))
  const CLAIMS: [string, Uint8Array][] = [
    ['claims two gigabytes', sized(2_000_000_000n, run(1, true).concat(Array(8).fill(0)))],
    ['claims more than 32 bits say', sized(2n ** 32n + 4n, raw([1, 2, 3, 4], true))],
    ['claims the most that can be claimed', sized(2n ** 64n - 1n, raw([1, 2, 3, 4], true))],
    ['wants a window of a gigabyte', frame(raw([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], true), 30)],
    ['wants a window beyond what 32 bits say', frame(raw([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], true), 41)],
    ['unpacks to four gigabytes, and claims nothing', frame([...GIGABYTES, ...run(1, true)])],
    ['unpacks to four gigabytes, and claims ten bytes', sized(10n, [...GIGABYTES, ...run(1, true)])],
  ]
  test.each(CLAIMS)('that %s is refused', (_, bytes) => {
    expect(bytes.length).toBeLessThan(20_000)
    expect(grown(() => wasmOf(Buffer.concat([COMPRESSED, bytes])))).toBeLessThan(2 * MOST)
    expect(() => unpackedFrame(bytes, MOST)).toThrow(/^it unpacks to more than (52428800|10) bytes$/)
  })

  test('that keeps the library busy is stopped', () => {
    // One block of 98,047 sequences, each of which copies 65,539 bytes to beyond the block's end.
    const sequences = [0, 255, 255, 255, 0b0101_0100, 0, 2, 52, 1]
    const bytes = frame([...header(sequences.length, 2, true), ...sequences])
    expect(() => unpackedFrame(bytes, MOST, { mostMs: 50 })).toThrow('it does not unpack within 50 ms')
  })

  const OTHERS: [string, Uint8Array, string][] = [
    ['is followed by another', Uint8Array.from([...frame(run(9, true)), ...sized(1n, [])]), 'it is not one Zstandard'],
    ['ends early', frame(times(4, run(9))), 'it is not one Zstandard frame'],
    ['is shorter than it claims', sized(11n, raw([1, 2, 3], true)), 'it unpacks to 3 bytes and claims 11'],
    ['is none', new Uint8Array(100), 'it is no Zstandard frame'],
    ['is empty', new Uint8Array(0), 'it is no Zstandard frame'],
    ['needs a dictionary', Uint8Array.from([...MAGIC, 1, ...Array(20).fill(0)]), 'needs a dictionary'],
  ]
  test.each(OTHERS)('that %s is refused', (_, bytes, why) => {
    expect(() => unpackedFrame(bytes, MOST)).toThrow(why)
  })
})
