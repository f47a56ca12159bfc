import '../testing/executor-log-level.js'
import { calculateStateRoot, destroyWorker } from '@acala-network/chopsticks-core/wasm-executor/index'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { hexOf } from '../store/store.js'
import { trieRoot } from './trie-root.js'

afterAll(destroyWorker)

/** Keys that share beginnings, and are one another's beginnings; values on both sides of the 32 bytes of a hash. */
const key = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.array(fc.constantFrom(0, 1, 16, 17, 255), { maxLength: 300 }).map((bytes) => Uint8Array.from(bytes)),
)
const value = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ minLength: 31, maxLength: 34 }))
const entries = fc.uniqueArray(fc.tuple(key, value), { maxLength: 40, selector: ([bytes]) => hexOf(bytes) })

test.each([0, 1] as const)('the root of layout %i equals that of another implementation', async (layout) => {
  await fc.assert(
    fc.asyncProperty(entries, async (pairs) => {
      const hexadecimal = pairs.map(([name, bytes]): [`0x${string}`, `0x${string}`] => [hexOf(name), hexOf(bytes)])
      expect(hexOf(trieRoot(pairs, layout))).toBe(await calculateStateRoot(hexadecimal, layout))
    }),
    { numRuns: 150 },
  )
})
