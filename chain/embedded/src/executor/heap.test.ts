import { expect, test } from 'vitest'
import { Heap } from './heap.js'

const BASE = 1_001

function begun(): Heap {
  const heap = new Heap()
  heap.begin(BASE)
  return heap
}

test('pieces are apart from one another and above the data, of whatever size', () => {
  const heap = begun()
  const sizes = [0, 1, 7, 8, 9, 16, 17, 31, 33, 1_000, 65_536, 65_537, 5_000_000, 3]
  const pieces = sizes.map((size) => ({ size, at: heap.allocate(size) }))
  for (const [number, { size, at }] of pieces.entries()) heap.bytes.fill(number, at, at + size)
  for (const [number, { size, at }] of pieces.entries()) {
    expect(at).toBeGreaterThan(BASE)
    expect(at % 8).toBe(0)
    expect(heap.bytes.subarray(at, at + size).every((byte) => byte === number)).toBe(true)
  }
})

test('a freed piece is used again for requests that fit', () => {
  const heap = begun()
  const [small, large] = [heap.allocate(10), heap.allocate(1_000)]
  heap.free(small)
  heap.free(large)
  expect(heap.allocate(600)).toBe(large)
  expect(heap.allocate(16)).toBe(small)
  expect(heap.allocate(16)).not.toBe(small)
})

test('a heap that begins again is a memory of zeros', () => {
  const heap = begun()
  const at = heap.allocate(100)
  heap.bytes.fill(255, at, at + 100)
  heap.begin(BASE)
  expect(heap.allocate(100)).toBe(at)
  expect(heap.bytes.subarray(at, at + 100).every((byte) => byte === 0)).toBe(true)
})

test('only a piece can be freed, and no piece is larger than 32 MiB', () => {
  const heap = begun()
  expect(() => heap.free(BASE - 8)).toThrow('not its own')
  expect(() => heap.allocate(32 * 1024 * 1024 + 1)).toThrow('at once')
  expect(heap.allocate(32 * 1024 * 1024)).toBeGreaterThan(BASE)
})
