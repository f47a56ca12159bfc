import { answerInHalves } from '@accredit/process/answer-in-halves'
import { batchLoader } from '@accredit/process/batch-loader'
import pg from 'pg'

/** The most queries of one kind that run at once; other kinds need connections too. */
const QUERIES_AT_ONCE = 2

/**
 * Answers questions that come at the same time by one query, since every query is slow.
 *
 * @param answerAll answers in the order of its questions, of which it gets `most` at most
 */
export const perQuery = <Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  most: number,
): ((question: Question) => Promise<Answer>) =>
  batchLoader((questions: Question[]) => answerInHalves(answerAll, questions, isOfAll), {
    most,
    running: QUERIES_AT_ONCE,
  })

/**
 * Tells whether the database refused the question. A database that cannot be reached or has no room answers no other
 * question either.
 */
const isOfAll = (cause: Error): boolean => !(cause instanceof pg.DatabaseError) || /^(08|53|57)/.test(cause.code ?? '')
