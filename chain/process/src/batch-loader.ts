import DataLoader from 'dataloader'

export interface Batches<Question> {
  /** The most questions in one batch. */
  most: number
  /** The most batches that run at once; one when left out. */
  running?: number
  /** The party that a question comes from. Parties take turns, one question at a time; by default all are one party. */
  shareOf?(question: Question): string
}

/**
 * Answers questions of many callers together: those that come while batches run form the next one, and a lone question
 * waits for nothing. No question is answered by a batch that began before it was asked.
 *
 * @param answerAll answers in the order of the questions, each with an answer or with the error that only its caller
 *   gets; when it fails, all of the batch fail
 */
export function batchLoader<Question, Answer>(
  answerAll: (questions: Question[]) => Promise<readonly (Answer | Error)[]>,
  { most, running: places = 1, shareOf }: Batches<Question>,
): (question: Question) => Promise<Answer> {
  const waiting = new Turns<() => void>()
  let running = 0
  let dispatch = (): void => undefined

  // The library takes no undefined question, which a question without a parameter is.
  const loader = new DataLoader<{ question: Question }, Answer>(
    async (asked) => {
      try {
        return await answerAll(asked.map(({ question }) => question))
      } finally {
        running -= 1
        begin()
      }
    },
    {
      cache: false,
      // The library would form batches in the order of arrival: questions wait here, and it gets a batch at a time.
      batchScheduleFn: (dispatchBatch) => {
        dispatch = dispatchBatch
      },
    },
  )

  function begin(): void {
    while (running < places && !waiting.isEmpty) {
      running += 1
      for (const load of waiting.take(most)) load()
      dispatch()
    }
  }

  return (question) =>
    new Promise((resolve) => {
      waiting.add(shareOf?.(question) ?? '', () => resolve(loader.load({ question })))
      // The batch begins once everything in the sockets was read: questions that come at the same time share one.
      setImmediate(begin)
    })
}

/** Each party has one row; the rows take turns. */
class Turns<Entry> {
  readonly #byShare = new Map<string, Entry[]>()

  get isEmpty(): boolean {
    return this.#byShare.size === 0
  }

  add(share: string, entry: Entry): void {
    const own = this.#byShare.get(share)
    if (own === undefined) this.#byShare.set(share, [entry])
    else own.push(entry)
  }

  take(count: number): Entry[] {
    const taken: Entry[] = []
    for (const [share, own] of this.#byShare) {
      if (taken.length === count) break
      taken.push(...own.splice(0, 1))
      // The party goes to the end of the row, where it has more questions.
      this.#byShare.delete(share)
      if (own.length > 0) this.#byShare.set(share, own)
    }
    return taken
  }
}
