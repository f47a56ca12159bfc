import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { perQuery } from './per-query.js'

const NOT_A_NUMBER = '22P02'

function refusal(number: number, code: string): Error {
  const error = new pg.DatabaseError(`not ${number}`, 0, 'error')
  error.code = code
  return error
}

/**
 * Doubles numbers; `asked` records which ones came as one question, and a question with a number of `refused` fails.
 */
function doubling(
  most: number,
  refused = new Set<number>(),
  refuse = (number: number) => refusal(number, NOT_A_NUMBER),
) {
  const asked: (readonly number[])[] = []
  let running = 0
  const doubled = perQuery(async (numbers: readonly number[]) => {
    asked.push(numbers)
    running += 1
    expect(running, 'queries at once').toBeLessThanOrEqual(2)
    await setImmediate()
    running -= 1
    const wrong = numbers.find((number) => refused.has(number))
    if (wrong !== undefined) throw refuse(wrong)
    return numbers.map((number) => 2 * number)
  }, most)
  const ask = (...numbers: number[]) => Promise.allSettled(numbers.map((number) => doubled(number)))
  return { asked, ask }
}

const fulfilled = (value: number) => ({ status: 'fulfilled', value })
const failed = (number: number) => ({
  status: 'rejected',
  reason: expect.objectContaining({ message: `not ${number}` }),
})

test('questions of one turn are asked as one, each has its own answer, and later ones are asked anew', async () => {
  const { asked, ask } = doubling(10)
  expect(await ask(1, 2, 1)).toEqual([2, 4, 2].map(fulfilled))
  expect(await ask(3)).toEqual([fulfilled(6)])
  expect(asked).toEqual([[1, 2, 1], [3]])
})

test('no more are asked as one than fit, and no more than two parts at once', async () => {
  const { asked, ask } = doubling(2)
  expect(await ask(1, 2, 3, 4, 5)).toEqual([2, 4, 6, 8, 10].map(fulfilled))
  expect(asked).toEqual([[1, 2], [3, 4], [5]])
})

test('a question that fails takes no other with it, and is found by halves', async () => {
  const { asked, ask } = doubling(8, new Set([2]))
  expect(await ask(1, 2, 3, 4, 5, 6, 7, 8, 9)).toEqual(
    [2, 4, 6, 8, 10, 12, 14, 16, 18].map((double) => (double === 4 ? failed(2) : fulfilled(double))),
  )
  expect(asked).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [9], [1, 2, 3, 4], [1, 2], [1], [2], [3, 4], [5, 6, 7, 8]])
})

test.each([
  { what: 'cannot be reached', refuse: (number: number): Error => new Error(`not ${number}`) },
  ...['08006', '53300', '57P01'].map((code) => ({
    what: `says ${code}`,
    refuse: (number: number): Error => refusal(number, code),
  })),
])('a database that $what is not asked again', async ({ refuse }) => {
  const { asked, ask } = doubling(10, new Set([1]), refuse)
  expect(await ask(1, 2)).toEqual([failed(1), failed(1)])
  expect(asked).toEqual([[1, 2]])
})

test('a failed batch fails each of its callers, and no later one', async () => {
  const refused = new Set([1, 2])
  const { ask } = doubling(10, refused)
  expect(await ask(1, 2)).toEqual([failed(1), failed(2)])
  refused.clear()
  expect(await ask(1)).toEqual([fulfilled(2)])
})
