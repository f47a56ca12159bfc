import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { batchLoader } from './batch-loader.js'

interface Item {
  share: string
  number: number
}

/** Records groups as they run, one at a time, each until the test releases it. */
function observed(most: number) {
  const groups: string[][] = []
  const held: (() => void)[] = []
  const ask = batchLoader(
    async (items: Item[]) => {
      groups.push(items.map(({ share, number }) => `${share}${number}`))
      await new Promise<void>((resolve) => held.push(resolve))
      return items.map(({ number }) => number)
    },
    { most, shareOf: ({ share }) => share },
  )
  return { groups, held, ask }
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a lone question is in the batch after the next of a flood, and each party keeps its order', async () => {
  const { groups, held, ask } = observed(3)
  const flood = Array.from({ length: 9 }, (_, number) => ask({ share: 'flood ', number }))
  await tick()
  const single = ask({ share: 'single ', number: 7 })
  const answers = Promise.all([...flood, single])
  while (groups.flat().length < 10) {
    held.shift()?.()
    await tick()
  }
  held.shift()?.()
  expect(groups[1]).toContain('single 7')
  expect(groups.flat().filter((item) => item.startsWith('flood'))).toEqual(flood.map((_, number) => `flood ${number}`))
  expect(await answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 7])
})

test('one batch runs at a time, and holds no more than fit', async () => {
  const { groups, held, ask } = observed(3)
  const first = Array.from({ length: 4 }, (_, number) => ask({ share: 'a', number }))
  await tick()
  const late = ask({ share: 'b', number: 4 })
  await tick()
  expect(groups).toEqual([['a0', 'a1', 'a2']])
  held.shift()?.()
  await tick()
  expect(groups).toEqual([
    ['a0', 'a1', 'a2'],
    ['a3', 'b4'],
  ])
  held.shift()?.()
  expect(await Promise.all([...first, late])).toEqual([0, 1, 2, 3, 4])
  const next = ask({ share: 'a', number: 5 })
  await tick()
  held.shift()?.()
  expect(await next).toBe(5)
  expect(groups).toHaveLength(3)
})

test('answers that are too few go to nobody', async () => {
  const ask = batchLoader(async (items: string[]) => items.slice(1), { most: 10 })
  expect(await Promise.allSettled([ask('a'), ask('b')])).toMatchObject([
    { status: 'rejected', reason: { message: expect.stringContaining('same length') } },
    { status: 'rejected', reason: { message: expect.stringContaining('same length') } },
  ])
})

test('an error of one question goes to its caller, and one of the batch to all in it', async () => {
  const answerAll = async (items: string[]) => {
    if (items.includes('all')) throw new Error('nobody')
    return items.map((item) => (item === 'bad' ? new Error('bad') : item))
  }
  const ask = batchLoader(answerAll, { most: 10 })
  const answers = await Promise.allSettled([ask('good'), ask('bad')])
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: 'good' },
    { status: 'rejected', reason: { message: 'bad' } },
  ])
  await expect(Promise.allSettled([ask('all'), ask('good')])).resolves.toMatchObject([
    { reason: { message: 'nobody' } },
    { reason: { message: 'nobody' } },
  ])
})

test('nothing of a question is kept once a later one is answered', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const ask = batchLoader(async (items: object[]) => items.map(() => 'answer'), { most: 10 })
  const askOnce = async () => {
    const question = {}
    await ask(question)
    return new WeakRef(question)
  }
  const asked = await askOnce()
  expect(await ask({})).toBe('answer')
  await tick()
  collectGarbage()
  expect(asked.deref()).toBeUndefined()
  expect(await ask({})).toBe('answer')
})
