import { answerInHalves } from '@accredit/chain/answer-in-halves'
import DataLoader from 'dataloader'
import { toApiError } from '../http/error-handler.js'
import { tooManyAtOnce } from '../http/errors.js'

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
 * Answers with one statement all questions that come while another is on its way: under load a round trip serves many,
 * and a lone question waits for nothing. No question is answered by a statement that began before it was asked.
 *
 * @param run answers in the order of the questions; when it fails its questions are asked again in halves, so that one
 *   which cannot be answered fails alone. Where nobody could answer, all fail at once
 * @returns throws 503 `unavailable` with Retry-After when there is no place to wait either
 */
export function batchLoader<Input, Output>(
  run: (inputs: Input[]) => Promise<Output[]>,
  { running: places, most, waiting: mostWaiting = MOST_WAITING }: Bounds,
): (input: Input) => Promise<Output> {
  /** Batches that wait for a place. */
  const due: (() => void)[] = []
  let waiting = 0
  let running = 0
  let isDue = false

  function begin(): void {
    while (running < places && due.length > 0) {
      running += 1
      due.shift()?.()
    }
  }

  /** Begins once all that is in the sockets by now was read: questions that come together go together. */
  function beginSoon(): void {
    if (isDue || running === places) return
    isDue = true
    setImmediate(() => {
      isDue = false
      begin()
    })
  }

  // The library takes no question that is undefined, as those are that have no parameter.
  const loader = new DataLoader<{ input: Input }, Output>(
    async (questions) => {
      waiting -= questions.length
      try {
        const inputs = questions.map(({ input }) => input)
        return await answerInHalves(
          (some) => run([...some]),
          inputs,
          (cause) => toApiError(cause).status === 503,
        )
      } finally {
        running -= 1
        begin()
      }
    },
    {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn(dispatch) {
        due.push(dispatch)
        beginSoon()
      },
    },
  )

  return async (input) => {
    if (waiting >= mostWaiting) throw tooManyAtOnce()
    waiting += 1
    return loader.load({ input })
  }
}

/**
 * The rows of a statement over questions `with ordinality`, each at the place of its question, whatever order they came
 * in.
 */
export function inOrderOfQuestions<Row extends { n: number | string }>(rows: readonly Row[]): Row[] {
  const placed: Row[] = []
  for (const row of rows) placed[Number(row.n) - 1] = row
  return placed
}

/** `batchLoader`, for each thing that is asked by itself: a database, say. */
export function batchLoaderBy<Key extends object, Input, Output>(
  run: (key: Key, inputs: Input[]) => Promise<Output[]>,
  bounds: Bounds,
): (key: Key, input: Input) => Promise<Output> {
  const askers = new WeakMap<Key, (input: Input) => Promise<Output>>()
  return (key, input) => {
    const known = askers.get(key) ?? batchLoader((inputs: Input[]) => run(key, inputs), bounds)
    askers.set(key, known)
    return known(input)
  }
}
