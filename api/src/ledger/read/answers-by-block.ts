import { LRUCache } from 'lru-cache'
import { oneOfEach } from '../../platform/process/one-of-each.js'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'

/** A block by its hash, without which no kept answer can be known to be of it. */
type Point = Partial<Pick<At, 'hash'>>

/** An answer, and the hash of the block that the index gave it for. */
interface AnswerOfBlock<Answer> {
  answer: Answer
  hash: string | null
}

/**
 * Remembers answers about blocks: a block's past never changes, so an answer about a block that is named by its hash is
 * good for ever.
 *
 * @param most the greatest number of answers, or of bytes of all answers together
 * @returns asks where the answer is not known; undefined is no answer, and not kept
 */
export function answersByBlock<Answer extends object>(most: { answers: number } | { bytes: number }) {
  const limit =
    'answers' in most
      ? { max: most.answers }
      : { maxSize: most.bytes, sizeCalculation: (answer: Answer) => JSON.stringify(answer).length }
  const answersOf = oneOfEach((_: IndexReader) => new LRUCache<string, Answer>(limit))
  return async <Asked extends Answer | undefined>(
    db: IndexReader,
    { hash }: Point,
    question: string,
    ask: () => Promise<AnswerOfBlock<Asked>>,
  ): Promise<Answer | Asked> => {
    const answers = answersOf(db)
    const key = `${hash} ${question}`
    const known = hash === undefined ? undefined : answers.get(key)
    if (known !== undefined) return known
    const asked = await ask()
    // Another block may have taken this one's place since the point was resolved: then the answer is of that other one.
    if (asked.answer !== undefined && hash !== undefined && hash === asked.hash) answers.set(key, asked.answer)
    return asked.answer
  }
}
