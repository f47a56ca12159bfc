import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.js'

/** Asks for work of a share that ends when it is told to. */
function ask(queue: FairQueue, log: string[], share: string, name: string) {
  let end = () => {}
  const gate = new Promise<void>((resolve) => {
    end = resolve
  })
  const result = queue.run(share, async () => {
    log.push(name)
    await gate
    return name
  })
  return { result, end }
}

test('who asks once waits for one of those who ask often, not for all that they ask', async () => {
  const queue = new FairQueue({ running: 1, waiting: 100 })
  const log: string[] = []
  const flood = Array.from({ length: 20 }, (_, n) => ask(queue, log, 'flood', `flood ${n}`))
  const [one, another] = [ask(queue, log, 'one', 'one'), ask(queue, log, 'another', 'another')]
  for (const { end } of [...flood, one, another]) end()
  await Promise.all([...flood, one, another].map(({ result }) => result))
  expect(log.slice(0, 4)).toEqual(['flood 0', 'flood 1', 'one', 'another'])
  expect(log).toHaveLength(22)
})

test('no more run at once than may, and a place whose work failed is free again', async () => {
  const queue = new FairQueue({ running: 2, waiting: 100 })
  let running = 0
  let most = 0
  const work = async (n: number) => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (n % 3 === 0) throw new Error('failed')
  }
  const all = Array.from({ length: 60 }, (_, n) => queue.run(`share ${n % 7}`, () => work(n)))
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20)
  expect(most).toBe(2)
})

test('when all places are taken the newest of the greediest gives way, and the greediest themselves are refused', async () => {
  const queue = new FairQueue({ running: 1, waiting: 3 })
  const log: string[] = []
  const flood = Array.from({ length: 4 }, (_, n) => ask(queue, log, 'flood', `flood ${n}`))
  const refused = { type: 'unavailable', status: 503, headers: { 'Retry-After': '1' } }
  const gaveWay = expect(flood[3]?.result).rejects.toMatchObject(refused)
  const one = ask(queue, log, 'one', 'one')
  await gaveWay
  await expect(ask(queue, log, 'flood', 'flood 4').result).rejects.toMatchObject(refused)
  for (const { end } of [...flood, one]) end()
  await Promise.all([...flood.slice(0, 3), one].map(({ result }) => result))
  expect(log).toEqual(['flood 0', 'flood 1', 'one', 'flood 2'])
})
