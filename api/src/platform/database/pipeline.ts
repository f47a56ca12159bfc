import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** The name under which a connection keeps it. */
  readonly name?: string | undefined
}

/**
 * Sends statements in one write, and takes all their answers in one read.
 *
 * Without `begin` among them they are a transaction of their own: all have taken effect when this returns, none when it
 * throws. After one that fails Postgres skips the others, a `commit` too. `pg` has pipelines as well, where each
 * statement stands alone: those after a `begin` that failed would be carried out.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export function sendTogether(client: pg.ClientBase, statements: readonly Statement[]): Promise<pg.QueryResult[]> {
  return new Promise((resolve, reject) => {
    client.query(new Pipeline(statements, client, { resolve, reject }))
  })
}

interface Answer {
  resolve(results: pg.QueryResult[]): void
  reject(error: Error): void
}

/** A custom query of `pg`, as its cursors are one: the queries of `pg` itself, with one sync behind the last of them. */
export class Pipeline implements pg.Submittable {
  readonly statements: readonly Statement[]
  readonly #queries: readonly Receiver[]
  readonly #results: pg.QueryResult[] = []
  readonly answer: Answer
  #fault: Error | undefined
  #current = 0

  /** @param types how the connection reads values */
  constructor(statements: readonly Statement[], types: pg.CustomTypesConfig, answer: Answer) {
    this.statements = statements
    this.answer = answer
    this.#queries = statements.map(({ text, values, name }) => {
      const asked = { text, values: [...values], types, queryMode: 'extended', ...(name !== undefined && { name }) }
      const told = (error: Error | null | undefined, result: unknown) => this.#take(error, result)
      return receiverOf(new pg.Query(asked, told))
    })
  }

  /** `pg` notes by these two which statements a connection has kept. */
  get name(): string | undefined {
    return this.#queries[this.#current]?.name
  }

  get text(): string | undefined {
    return this.#queries[this.#current]?.text
  }

  submit(connection: pg.Connection): void {
    const withoutSync: pg.Connection = Object.create(connection, { sync: { value: () => undefined } })
    connection.stream.cork()
    for (const query of this.#queries) this.#take(query.submit(withoutSync))
    // A value that cannot be written: nothing has left yet, and nothing may, since the others would take effect.
    if (this.#fault) connection.stream.destroy(this.#fault)
    else connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#current]?.handleRowDescription(message)
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#current]?.handleDataRow(message)
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#queries[this.#current]?.handleCommandComplete(message, connection)
    this.#current += 1
  }

  /** `pg` tells the error alone, and nothing afterwards. */
  handleError(error: Error, connection: pg.Connection): void {
    // These were skipped: the connection keeps none of them.
    for (const { name } of this.#queries.slice(this.#current)) forgetSubmitted(connection, name)
    this.answer.reject(this.#fault ?? error)
  }

  /** All of it is done, and stored. */
  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection)
    if (this.#fault) this.answer.reject(this.#fault)
    else this.answer.resolve(this.#results)
  }

  #take(error: Error | null | undefined, result?: unknown): void {
    if (error) this.#fault ??= error
    else if (result instanceof pg.Result) this.#results.push(result)
  }
}

/** The members of a query of `pg` that its types leave out, and its own cursors use. */
interface Receiver {
  readonly name?: string
  readonly text: string
  submit(connection: pg.Connection): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
  handleReadyForQuery(connection: pg.Connection): void
}

function receiverOf(query: object): Receiver {
  if (!isReceiver(query)) throw new Error('this version of pg has other queries')
  return query
}

const isReceiver = (query: object): query is Receiver =>
  'handleRowDescription' in query && 'handleCommandComplete' in query && 'handleReadyForQuery' in query

function forgetSubmitted(connection: pg.Connection, name: string | undefined): void {
  const submitted: unknown = Reflect.get(connection, 'submittedNamedStatements')
  if (name !== undefined && typeof submitted === 'object' && submitted !== null) Reflect.deleteProperty(submitted, name)
}
