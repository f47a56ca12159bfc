import { expect, test } from 'vitest'
import { batched } from './batched.js'

test('who asks alone is asked for at once; who asks meanwhile goes together, in bounded batches, and after', async () => {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const double = batched(
    async (inputs: number[]) => {
      batches.push(inputs)
      await new Promise<void>((resolve) => gates.push(resolve))
      if (inputs.includes(13)) throw new Error('unlucky')
      return inputs.map((input) => input * 2)
    },
    { running: 1, most: 3 },
  )
  const first = double(1)
  const others = [2, 3, 4, 13].map((input) => double(input).catch((error: Error) => error.message))
  expect(batches).toEqual([[1]])
  gates[0]?.()
  expect(await first).toBe(2)
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([[1], [2, 3, 4]])
  gates[1]?.()
  expect(await Promise.all(others.slice(0, 3))).toEqual([4, 6, 8])
  await new Promise((resolve) => setImmediate(resolve))
  gates[2]?.()
  expect(await others[3]).toBe('unlucky')
})
