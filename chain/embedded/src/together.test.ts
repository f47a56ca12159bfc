import { expect, test } from 'vitest'
import { Together } from './together.js'

test('questions of one turn are asked as one, each has its own answer, and later ones are asked anew', async () => {
  const asked: (readonly number[])[] = []
  const doubled = new Together(async (numbers: readonly number[]) => {
    asked.push(numbers)
    return numbers.map((number) => 2 * number)
  })
  expect(await Promise.all([1, 2, 1].map((number) => doubled.ask(number)))).toEqual([2, 4, 2])
  expect(await doubled.ask(3)).toBe(6)
  expect(asked).toEqual([[1, 2, 1], [3]])
})

test('a failure is told to everybody who asked, and to nobody who asks later', async () => {
  let fails = true
  const words = new Together(async (asked: readonly string[]) => {
    if (fails) throw new Error('no database')
    return asked
  })
  const outcomes = await Promise.allSettled([words.ask('a'), words.ask('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await words.ask('c')).toBe('c')
})
