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
      if (this.#waiting.push({ question, resolve, reject }) === 1) setImmediate(() => this.#answerWaiting())
    })
  }

  #answerWaiting(): void {
    const asked = this.#waiting
    this.#waiting = []
    for (let first = 0; first < asked.length; first += this.#most)
      void this.#answer(asked.slice(first, first + this.#most))
  }

  async #answer(asked: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#answerAll(asked.map(({ question }) => question))
      for (const [position, { resolve }] of asked.entries()) resolve(answers[position])
    } catch (cause) {
      // Whose question it is that fails shows when each is asked alone.
      if (asked.length > 1) for (const one of asked) void this.#answer([one])
      else for (const { reject } of asked) reject(cause)
    }
  }
}
