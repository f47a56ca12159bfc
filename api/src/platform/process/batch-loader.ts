import { toApiError } from '../http/error-handler.js'
import { tooManyAtOnce } from '../http/errors.js'

interface Waiting<Input, Output> {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

interface Bounds {
  /** How many batches run at once. */
  running: number
  /** How many questions one holds. */
  most: number
  /** How many wait behind them. */
  waiting?: number
}

const MOST_WAITING = 5_000

/**
 * One statement for everybody who asks while another is on its way: under load a round trip serves many, and who asks alone
 * waits for nobody. A question is never answered by a statement that began before it was asked.
 *
 * @param run answers in the order of the questions; when it fails its questions are asked again in halves, so that one which
 *   cannot be answered fails alone. Where nobody could answer, all fail at once
 * @returns throws 503 `unavailable` with Retry-After when there is no place to wait either
 */
export function batched<Input, Output>(
  run: (inputs: Input[]) => Promise<Output[]>,
  { running: places, most, waiting: mostWaiting = MOST_WAITING }: Bounds,
): (input: Input) => Promise<Output> {
  const waiting: Waiting<Input, Output>[] = []
  let running = 0
  let isDue = false

  /** When all that stands in the sockets by now was read: who asks together goes together. */
  function beginSoon(): void {
    if (isDue || running === places) return
    isDue = true
    setImmediate(() => {
      isDue = false
      begin()
    })
  }

  function begin(): void {
    while (running < places && waiting.length > 0) {
      running += 1
      void answer(waiting.splice(0, most)).finally(() => {
        running -= 1
        begin()
      })
    }
  }

  async function answer(batch: Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await run(batch.map(({ input }) => input))
      if (outputs.length !== batch.length) throw new Error(`${batch.length} questions, ${outputs.length} answers`)
      for (const [i, output] of outputs.entries()) batch[i]?.resolve(output)
    } catch (error) {
      if (batch.length === 1 || toApiError(error).status === 503) {
        for (const { reject } of batch) reject(error)
        return
      }
      const middle = Math.ceil(batch.length / 2)
      for (const half of [batch.slice(0, middle), batch.slice(middle)]) await answer(half)
    }
  }

  return async (input) => {
    if (waiting.length >= mostWaiting) throw tooManyAtOnce()
    return new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      beginSoon()
    })
  }
}

/** The rows of a statement over questions `with ordinality`, each at the place of its question, whatever order they came in. */
export function inOrderOfQuestions<Row extends { n: number | string }>(rows: readonly Row[]): Row[] {
  const placed: Row[] = []
  for (const row of rows) placed[Number(row.n) - 1] = row
  return placed
}

/** `batched`, for each thing that is asked by itself: a database, say. */
export function batchedBy<Key extends object, Input, Output>(
  run: (key: Key, inputs: Input[]) => Promise<Output[]>,
  bounds: Bounds,
): (key: Key, input: Input) => Promise<Output> {
  const askers = new WeakMap<Key, (input: Input) => Promise<Output>>()
  return (key, input) => {
    const known = askers.get(key) ?? batched((inputs: Input[]) => run(key, inputs), bounds)
    askers.set(key, known)
    return known(input)
  }
}
