import pg from 'pg'

interface Waiting<Question, Answer> {
  readonly question: Question
  resolve(answer: Answer | undefined): void
  reject(cause: unknown): void
}

type AnswerAll<Question, Answer> = (questions: readonly Question[]) => Promise<readonly Answer[]>

/** Questions that come in the same turn of the event loop, answered as one: a query to the database is dear, however little it asks. */
export class Together<Question, Answer> {
  readonly #answerAll: AnswerAll<Question, Answer>
  readonly #most: number
  #waiting: Waiting<Question, Answer>[] = []

  /** Answers are in the order of their questions, of which there are `most` at most. */
  constructor(answerAll: AnswerAll<Question, Answer>, most: number) {
    this.#answerAll = answerAll
    this.#most = most
  }

  ask(question: Question): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ question, resolve, reject }) === 1) setImmediate(() => void this.#answerWaiting())
    })
  }

  /** One part after the other, so that what comes in one turn is never more at once than fits. */
  async #answerWaiting(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    for (let first = 0; first < asked.length; first += this.#most)
      await this.#answer(asked.slice(first, first + this.#most))
  }

  /** When it fails its questions are asked again in halves, so that one which cannot be answered fails alone. */
  async #answer(asked: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#answerAll(asked.map(({ question }) => question))
      for (const [position, { resolve }] of asked.entries()) resolve(answers[position])
    } catch (cause) {
      if (asked.length === 1 || !isOfQuestion(cause)) {
        for (const { reject } of asked) reject(cause)
        return
      }
      const middle = Math.ceil(asked.length / 2)
      for (const half of [asked.slice(0, middle), asked.slice(middle)]) await this.#answer(half)
    }
  }
}

/** Whether the database refused what it was asked. Where it cannot be reached or has no room, it would answer no other question either. */
const isOfQuestion = (cause: unknown): boolean =>
  cause instanceof pg.DatabaseError && !/^(08|53|57)/.test(cause.code ?? '')
