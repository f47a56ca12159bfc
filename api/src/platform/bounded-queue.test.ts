import { expect, test } from 'vitest'
import { BoundedQueue } from './bounded-queue.js'

/** Work that ends when it is told to. */
function held(queue: BoundedQueue, log: string[], name: string) {
  let [end, fail] = [() => {}, () => {}]
  const gate = new Promise<string>((resolve, reject) => {
    end = () => resolve(name)
    fail = () => reject(new Error(name))
  })
  const result = queue.run(() => {
    log.push(name)
    return gate
  })
  return { result, end, fail }
}

test('two run, two wait in their order, the fifth is refused, and a place that is free again is taken', async () => {
  const queue = new BoundedQueue({ running: 2, waiting: 2 })
  const log: string[] = []
  const [a, b, c, d] = [held(queue, log, 'a'), held(queue, log, 'b'), held(queue, log, 'c'), held(queue, log, 'd')]
  const refused = { type: 'unavailable', status: 503, headers: { 'Retry-After': '1' } }
  await expect(held(queue, log, 'e').result).rejects.toMatchObject(refused)
  expect(log).toEqual(['a', 'b'])
  b.fail()
  await expect(b.result).rejects.toThrow('b')
  const f = held(queue, log, 'f')
  await expect(held(queue, log, 'g').result).rejects.toMatchObject(refused)
  for (const one of [a, c, d, f]) one.end()
  expect(await Promise.all([a, c, d, f].map(({ result }) => result))).toEqual(['a', 'c', 'd', 'f'])
  expect(log).toEqual(['a', 'b', 'c', 'd', 'f'])
  const again = [held(queue, log, 'h'), held(queue, log, 'i')]
  for (const one of again) one.end()
  await Promise.all(again.map(({ result }) => result))
  expect(log.slice(-2)).toEqual(['h', 'i'])
})
