import { expect, test } from 'vitest'
import { Together } from './together.js'

/** Doubles numbers; `asked` tells which ones came as one question, and what comes with a number of `refused` fails. */
function doubling(most: number, refused = new Set<number>()) {
  const asked: (readonly number[])[] = []
  const doubled = new Together(async (numbers: readonly number[]) => {
    asked.push(numbers)
    const wrong = numbers.find((number) => refused.has(number))
    if (wrong !== undefined) throw new Error(`not ${wrong}`)
    return numbers.map((number) => 2 * number)
  }, most)
  const ask = (...numbers: number[]) => Promise.allSettled(numbers.map((number) => doubled.ask(number)))
  return { asked, ask }
}

const fulfilled = (value: number) => ({ status: 'fulfilled', value })
const failed = (number: number) => ({ status: 'rejected', reason: new Error(`not ${number}`) })

test('questions of one turn are asked as one, each has its own answer, and later ones are asked anew', async () => {
  const { asked, ask } = doubling(10)
  expect(await ask(1, 2, 1)).toEqual([2, 4, 2].map(fulfilled))
  expect(await ask(3)).toEqual([fulfilled(6)])
  expect(asked).toEqual([[1, 2, 1], [3]])
})

test('no more are asked as one than fit', async () => {
  const { asked, ask } = doubling(2)
  expect(await ask(1, 2, 3, 4, 5)).toEqual([2, 4, 6, 8, 10].map(fulfilled))
  expect(asked).toEqual([[1, 2], [3, 4], [5]])
})

test('a question that fails takes no other with it', async () => {
  const { asked, ask } = doubling(3, new Set([2]))
  expect(await ask(1, 2, 3, 4)).toEqual([fulfilled(2), failed(2), fulfilled(6), fulfilled(8)])
  expect(asked).toEqual([[1, 2, 3], [4], [1], [2], [3]])
})

test('a failure of all is told to everybody who asked, and to nobody who asks later', async () => {
  const refused = new Set([1, 2])
  const { ask } = doubling(10, refused)
  expect(await ask(1, 2)).toEqual([failed(1), failed(2)])
  refused.clear()
  expect(await ask(1)).toEqual([fulfilled(2)])
})
