import { expect, test } from 'vitest'
import { answerInHalves } from './answer-in-halves.js'

/** Answers with tens, and remembers what it was asked together; odd things of it fail. */
function observed(isBad: (question: number) => boolean) {
  const asked: (readonly number[])[] = []
  const answerAll = async (questions: readonly number[]) => {
    asked.push(questions)
    if (questions.some(isBad)) throw new Error('bad')
    return questions.map((question) => question * 10)
  }
  return { asked, answerAll }
}

const never = () => false

test('questions that can be answered are asked once', async () => {
  const { asked, answerAll } = observed(never)
  expect(await answerInHalves(answerAll, [1, 2, 3], never)).toEqual([10, 20, 30])
  expect(asked).toEqual([[1, 2, 3]])
})

test('one that cannot be answered fails alone, and the others keep their order', async () => {
  const { asked, answerAll } = observed((question) => question === 2)
  expect(await answerInHalves(answerAll, [1, 2, 3, 4, 5], never)).toEqual([10, new Error('bad'), 30, 40, 50])
  expect(asked).toEqual([[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [1], [2], [3], [4, 5]])
})

test('a failure that is of no question is one of all, and nothing is asked again', async () => {
  const { asked, answerAll } = observed((question) => question === 2)
  const isOfAll = ({ message }: Error) => message === 'bad'
  const bad = new Error('bad')
  expect(await answerInHalves(answerAll, [1, 2, 3], isOfAll)).toEqual([bad, bad, bad])
  expect(asked).toHaveLength(1)
})

test('too few answers count as a failure, and a thrown value becomes an error', async () => {
  const tooFew = new Error('1 questions, 0 answers')
  expect(await answerInHalves(async () => [], [1, 2], never)).toEqual([tooFew, tooFew])
  const throwing = () => Promise.reject('a text')
  expect(await answerInHalves(throwing, [1], never)).toEqual([new Error('a text')])
})
