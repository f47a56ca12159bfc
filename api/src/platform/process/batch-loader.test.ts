import { expect, test } from 'vitest'
import { batchLoader, batchLoaderByPart, inOrderOfQuestions } from './batch-loader.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a lone question waits for nothing; questions that come meanwhile share the next batches, up to their size', async () => {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const double = batchLoader(
    async (inputs: number[]) => {
      batches.push(inputs)
      await new Promise<void>((resolve) => gates.push(resolve))
      if (inputs.includes(13)) throw new Error('unlucky')
      return inputs.map((input) => input * 2)
    },
    { running: 1, most: 3 },
  )
  const first = double(1)
  await turn()
  const others = [2, 3, 4, 13].map((input) => double(input).catch((error: Error) => error.message))
  await turn()
  expect(batches).toEqual([[1]])
  gates[0]?.()
  expect(await first).toBe(2)
  await turn()
  expect(batches).toEqual([[1], [2, 3, 4]])
  gates[1]?.()
  expect(await Promise.all(others.slice(0, 3))).toEqual([4, 6, 8])
  await turn()
  gates[2]?.()
  expect(await others[3]).toBe('unlucky')
})

test('questions of one turn of the event loop share a batch', async () => {
  const batches: number[][] = []
  const same = batchLoader(async (inputs: number[]) => {
    batches.push(inputs)
    return inputs
  }, one)
  expect(await Promise.all([1, 2, 3].map(async (input) => same(await input)))).toEqual([1, 2, 3])
  expect(batches).toEqual([[1, 2, 3]])
})

const one = { running: 1, most: 8 }

test('a question without a parameter is answered, and one that fails in words too', async () => {
  const ask = batchLoader(async (inputs: undefined[]) => inputs.map(() => 'yes'), one)
  expect(await Promise.all([ask(undefined), ask(undefined)])).toEqual(['yes', 'yes'])
  const fail = batchLoader(async (_: undefined[]): Promise<string[]> => Promise.reject('no'), one)
  await expect(fail(undefined)).rejects.toThrow('no')
})

test('a question that cannot be answered fails alone, and costs few statements more', async () => {
  let statements = 0
  const double = batchLoader(async (inputs: number[]) => {
    statements += 1
    if (inputs.includes(13)) throw new Error('unlucky')
    return inputs.map((input) => input * 2)
  }, one)
  const asked = [1, 2, 3, 4, 5, 13, 7, 8, 9].map((input) => double(input).catch((error: Error) => error.message))
  expect(await Promise.all(asked)).toEqual([2, 4, 6, 8, 10, 'unlucky', 14, 16, 18])
  expect(statements).toBe(1 + 7)
})

test('a failure that concerns every question is not asked again in halves', async () => {
  let statements = 0
  const lost = batchLoader(async (_: number[]): Promise<number[]> => {
    statements += 1
    throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  }, one)
  const asked = [1, 2, 3, 4].map((input) => lost(input).catch((error: Error) => error.message))
  expect(await Promise.all(asked)).toEqual(['connect', 'connect', 'connect', 'connect'])
  expect(statements).toBe(1)
})

test('a question beyond all places is refused at once, and the places come free again', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const double = batchLoader(
    async (inputs: number[]) => {
      await gate
      return inputs.map((input) => input * 2)
    },
    { ...one, waiting: 2 },
  )
  const first = double(1)
  await turn()
  const asked = [first, double(2), double(3)]
  await expect(double(4)).rejects.toMatchObject({ type: 'unavailable', status: 503, headers: { 'Retry-After': '1' } })
  open()
  expect(await Promise.all(asked)).toEqual([2, 4, 6])
  expect(await double(5)).toBe(10)
})

test('answers stand in the order of the questions, whatever the order of the rows', () => {
  const rows = [
    { n: '3', answer: 'c' },
    { n: '1', answer: 'a' },
    { n: '2', answer: 'b' },
  ]
  expect(inOrderOfQuestions(rows).map(({ answer }) => answer)).toEqual(['a', 'b', 'c'])
})

test('the parts of a thing wait each for its own questions, and for those of no other part or thing', async () => {
  const batches: string[][] = []
  const gates = new Map<string, () => void>()
  const ask = batchLoaderByPart(async (key: { name: string }, inputs: string[]) => {
    const batch = inputs.map((input) => `${key.name} ${input}`)
    batches.push(batch)
    await new Promise<void>((resolve) => gates.set(batch.join(), resolve))
    return batch
  }, one)
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  const asked = [ask(a, 1, 'first')]
  await turn()
  asked.push(ask(a, 1, 'second'), ask(a, 1, 'third'), ask(a, 2, 'of another part'), ask(b, 1, 'of another thing'))
  await turn()
  expect(batches).toEqual([['a first'], ['a of another part'], ['b of another thing']])
  for (const gate of gates.values()) gate()
  await turn()
  expect(batches.slice(3)).toEqual([['a second', 'a third']])
  gates.get('a second,a third')?.()
  expect(await Promise.all(asked)).toEqual([
    'a first',
    'a second',
    'a third',
    'a of another part',
    'b of another thing',
  ])
})
