import { answerInHalves } from '@accredit/chain/answer-in-halves'
import DataLoader from 'dataloader'
import pg from 'pg'

type AnswerAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly Answer[]>

/**
 * Answers questions that come in the same turn of the event loop by one query, since a query is dear however little it
 * asks. `answerAll` answers in the order of its questions, of which it gets `most` at most.
 */
export function batchLoader<Question, Answer>(
  answerAll: AnswerAll<Question, Answer>,
  most: number,
): DataLoader<Question, Answer> {
  const answerInParts = async (questions: readonly Question[]): Promise<(Answer | Error)[]> => {
    const answers: (Answer | Error)[] = []
    // The library would ask all parts of its `maxBatchSize` at the same time, over the few connections that others need
    // too.
    for (let first = 0; first < questions.length; first += most)
      answers.push(...(await answerInHalves(answerAll, questions.slice(first, first + most), isOfAll)))
    return answers
  }
  return new DataLoader(answerInParts, { cache: false, batchScheduleFn: setImmediate })
}

/**
 * Tells whether the database refused what it was asked. One that cannot be reached or has no room answers no other
 * question either.
 */
const isOfAll = (cause: Error): boolean => !(cause instanceof pg.DatabaseError) || /^(08|53|57)/.test(cause.code ?? '')
