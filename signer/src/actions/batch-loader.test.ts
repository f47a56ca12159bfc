import { expect, test } from 'vitest'
import { grouped } from './batch-loader.js'

interface Item {
  share: string
  number: number
}

/** Groups as they were run, one at a time, each when it is let go. */
function observed(maxItems: number) {
  const groups: string[][] = []
  const held: (() => void)[] = []
  const ask = grouped(
    async (items: Item[]) => {
      groups.push(items.map(({ share, number }) => `${share}${number}`))
      await new Promise<void>((resolve) => held.push(resolve))
      return items.map(({ number }) => number)
    },
    { maxItems, shareOf: ({ share }) => share },
  )
  return { groups, held, ask }
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

test('one who asks while another has asked for much is in the next group, and each keeps its own order', async () => {
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

test('an error of one is told to that one alone, and one of the group to all in it', async () => {
  const ask = grouped(async (items: string[]) => {
    if (items.includes('all')) throw new Error('nobody')
    return items.map((item) => (item === 'bad' ? new Error('bad') : item))
  })
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
