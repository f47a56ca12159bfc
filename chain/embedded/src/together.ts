interface Waiting<Question, Answer> {
  readonly question: Question
  resolve(answer: Answer | undefined): void
  reject(cause: unknown): void
}

/** Questions that come in the same turn of the event loop, answered as one: a query to the database is dear, however little it asks. */
export class Together<Question, Answer> {
  readonly #answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>
  #waiting: Waiting<Question, Answer>[] = []

  /** Answers are in the order of their questions. */
  constructor(answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#answerAll = answerAll
  }

  ask(question: Question): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ question, resolve, reject }) === 1) setImmediate(() => this.#answer())
    })
  }

  async #answer(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    try {
      const answers = await this.#answerAll(asked.map(({ question }) => question))
      for (const [position, { resolve }] of asked.entries()) resolve(answers[position])
    } catch (cause) {
      for (const { reject } of asked) reject(cause)
    }
  }
}
