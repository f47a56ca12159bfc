import fc from 'fast-check'
import { expect, test } from 'vitest'

test('a property that fails ends at once, with its seed and counterexample, however many shorter ones there are', async () => {
  let failed = 0
  // Each of the shorter counterexamples would fail too, and take as long.
  const failing = fc.asyncProperty(fc.bigInt({ min: 1n << 4096n }), async () => {
    failed++
    return false
  })
  await expect(fc.assert(failing)).rejects.toThrow(
    /\{ seed: 20260105, path: "0", endOnFailure: true \}\nCounterexample: \[\d{1000,}/,
  )
  expect(failed).toBe(1)
})
