import { answerInHalves } from '@accredit/process/answer-in-halves'
import { batchLoader as sharedBatchLoader } from '@accredit/process/batch-loader'
import { LRUCache } from 'lru-cache'
import { tooManyAtOnce } from '../errors.js'
import { toApiError } from '../to-api-error.js'
import { oneOfEach } from './one-of-each.js'

interface Bounds {
  /** The most batches that run at once. */
  running: number
  /** The most questions in one batch. */
  most: number
  /** The most questions that wait behind them. */
  waiting?: number
}

const MOST_WAITING = 5_000

/**
 * Answers with one statement all questions that come while another is on its way; see `@accredit/process/batch-loader`.
 *
 * @param run answers in the order of the questions, each with an answer or with the error that only its caller gets;
 *   when it fails its questions are asked again in halves, so that one which cannot be answered fails alone. All fail at
 *   once where nobody could answer
 * @returns throws 503 `unavailable` with Retry-After when there is no place to wait either
 */
export function batchLoader<Input, Output>(
  run: (inputs: Input[]) => Promise<(Output | Error)[]>,
  { running, most, waiting: mostWaiting = MOST_WAITING }: Bounds,
): (input: Input) => Promise<Output> {
  let waiting = 0
  const ask = sharedBatchLoader<Input, Output>(
    (inputs) => {
      waiting -= inputs.length
      return answerInHalves(
        (some) => run([...some]),
        inputs,
        (cause) => toApiError(cause).status === 503,
      )
    },
    { running, most },
  )
  return async (input) => {
    if (waiting >= mostWaiting) throw tooManyAtOnce()
    waiting += 1
    return ask(input)
  }
}

/**
 * Returns the rows of a statement over questions `with ordinality`, each at the place of its question, in whatever
 * order they came.
 */
export function inOrderOfQuestions<Row extends { n: number | string }>(rows: readonly Row[]): Row[] {
  const placed: Row[] = []
  for (const row of rows) placed[Number(row.n) - 1] = row
  return placed
}

/** Returns the same where a question may have no row. */
export function answersTo<Row extends { n: number | string }>(
  questions: readonly unknown[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const placed = inOrderOfQuestions(rows)
  return questions.map((_, i) => placed[i])
}

/** Makes a `batchLoader` for each thing that has its own questions: a database, say. */
export function batchLoaderBy<Key extends object, Input, Output>(
  run: (key: Key, inputs: Input[]) => Promise<Output[]>,
  bounds: Bounds,
): (key: Key, input: Input) => Promise<Output> {
  const askerOf = oneOfEach((key: Key) => batchLoader((inputs: Input[]) => run(key, inputs), bounds))
  return (key, input) => askerOf(key)(input)
}

/** The parts that are remembered; one that is forgotten gets a new loader. */
const MOST_PARTS = 1000

/** Makes a `batchLoader` for each part of such a thing: a team of a database, say. */
export function batchLoaderByPart<Key extends object, Part extends number, Input, Output>(
  run: (key: Key, inputs: Input[]) => Promise<(Output | Error)[]>,
  bounds: Bounds,
): (key: Key, part: Part, input: Input) => Promise<Output> {
  const askersOf = oneOfEach((_: Key) => new LRUCache<Part, (input: Input) => Promise<Output>>({ max: MOST_PARTS }))
  return (key, part, input) => {
    const askers = askersOf(key)
    const ask = askers.get(part) ?? batchLoader((inputs: Input[]) => run(key, inputs), bounds)
    askers.set(part, ask)
    return ask(input)
  }
}
