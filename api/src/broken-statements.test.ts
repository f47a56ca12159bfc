import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Good, goodRequests } from '../../test/support/good-requests.js'
import { peopleOf } from '../../test/support/people.js'
import { type Request, requestsWith } from '../../test/support/requests.js'
import { tableContents } from '../../test/support/table-contents.js'
import { buildApp } from './app.js'
import { TestService } from './credentials/loop.testing.js'
import { type Loop, startLoop } from './dids/loop.testing.js'
import { Pipeline, type Statement } from './platform/database/pipeline.js'
import { allServed } from './platform/testing/all-served.js'
import { type ScratchDatabase, serviceDatabase } from './platform/testing/scratch-database.js'

const BROKEN: Statement = { text: 'select broken', values: [] }

/** Nothing can be stored by them, or they are the mailer's, which no request waits for. */
const isOther = (statements: readonly Statement[]): boolean =>
  statements.some(({ text }) => /transaction_read_only|read only|(from|update) "outgoing_mails"/.test(text))

/** Breaks one statement of the transactions that write, wherever it comes: each time another one. */
class StatementBreaker {
  readonly #known = new Set<string>()
  readonly #asking
  #isOn = false
  #broken: string | undefined

  constructor() {
    const breakIn = (pipeline: Pipeline, client: pg.Client) => this.#breakIn(pipeline, client)
    const { query } = pg.Client.prototype
    this.#asking = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...asked) {
      const [together]: unknown[] = asked
      return Reflect.apply(query, this, together instanceof Pipeline ? [breakIn(together, this)] : asked)
    })
  }

  /** @returns the result, and the statement that was broken; undefined: each has been already */
  async during<T>(run: () => Promise<T>): Promise<{ result: T; broken: string | undefined }> {
    this.#isOn = true
    this.#broken = undefined
    try {
      const result = await run()
      return { result, broken: this.#broken }
    } finally {
      this.#isOn = false
    }
  }

  close(): void {
    this.#asking.mockRestore()
  }

  #breakIn(pipeline: Pipeline, client: pg.Client): Pipeline {
    const { statements } = pipeline
    if (!this.#isOn || isOther(statements)) return pipeline
    this.#broken ??= statements.find(({ text }) => text !== 'rollback' && !this.#known.has(text))?.text
    if (this.#broken === undefined) return pipeline
    this.#known.add(this.#broken)
    const broken = statements.map((one) => (one.text === this.#broken ? BROKEN : one))
    return new Pipeline(broken, client, pipeline.answer)
  }
}

let scratch: ScratchDatabase
let loop: Loop
let service: TestService
let hasty: FastifyInstance
let admin: pg.Client
let good: Record<string, Good>
let request: Request
beforeAll(async () => {
  // Every table is read after each request: those of a database that other files have filled are large.
  scratch = await serviceDatabase()
  loop = await startLoop(scratch)
  service = await TestService.open(allServed, {}, { ...loop, scratch })
  const { apiKey } = service.team
  const { environment } = loop
  const { config } = environment
  // Nobody works: what is accepted is not waited for.
  hasty = await buildApp({ ...environment, config: { ...config, ledger: { ...config.ledger, waitMs: 0 } } }, allServed)
  admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  const people = await peopleOf(scratch.adminUrl, apiKey)
  good = await goodRequests(await service.app.listen({ port: 0 }), apiKey, people)
  const session = await people.newSession()
  request = requestsWith(apiKey, await hasty.listen({ port: 0 }), async () => session)
})
afterAll(async () => {
  await admin?.end()
  await hasty?.close()
  await service?.close()
  await loop?.close()
  await scratch?.close()
})

/** The rows that are there once all mails are on their way: they are sent while nobody waits. */
async function contents(): Promise<Record<string, string>> {
  await expect.poll(async () => (await admin.query('select from service.outgoing_mails')).rowCount).toBe(0)
  return tableContents(admin, ['service'])
}

/** These change what the requests of others are about, or need a DID that is not held here any more. */
const LAST = ['rotateDid', 'setRegistrySchema', 'importDid', 'importDidDocument']
const operations = allServed
  .flatMap((part) => part.operations)
  .filter(({ method, operationId }) => method !== 'GET' && !LAST.includes(operationId))
  .map(({ operationId }) => operationId)
const methods = new Map(allServed.flatMap((part) => part.operations.map((op) => [op.operationId, op.method])))

/** An operation stores rows of this table before it asks the signer, to hold no connection meanwhile; a sweep takes them. */
const STORED_BEFORE = new Map([['prepareLedgerAction', 'service.prepared_actions']])

/** Breaks each statement of an operation in turn, until it is done whole. @returns the statements, and the faults */
async function breakEach(operationId: string, { path, bodies: [body] }: Good) {
  const breaker = new StatementBreaker()
  const faults: string[] = []
  const statements: string[] = []
  try {
    for (let before = await contents(); ; ) {
      const ask = () => request(methods.get(operationId) ?? '', path.replace('?dryRun=true', ''), body)
      const { result, broken } = await breaker.during(ask)
      const { status } = result
      if (broken === undefined) {
        if (status >= 300) faults.push(`${operationId} fails by itself: ${JSON.stringify(result.body)}`)
        return { faults, statements }
      }
      statements.push(broken)
      const after = await contents()
      const changed = Object.keys(after).filter(
        (table) => after[table] !== before[table] && table !== STORED_BEFORE.get(operationId),
      )
      if (status < 500 || changed.length > 0) faults.push(`${operationId} ${status} [${changed}]: ${broken}`)
      before = after
    }
  } finally {
    breaker.close()
  }
}

test('nothing of an operation is stored, and its caller hears of it, when any of its statements fails', async () => {
  const release = good.exportDid?.path.replace('/export', '?fromBlockchain=false') ?? ''
  const faults: string[] = []
  let count = 0
  await service.whileNobodyWorks(async () => {
    for (const operationId of [...operations, ...LAST]) {
      const one = good[operationId]
      if (one === undefined) continue
      if (operationId.startsWith('importDid')) expect(await request('DELETE', release)).toMatchObject({ status: 200 })
      const tried = await breakEach(operationId, one)
      faults.push(...tried.faults)
      count += tried.statements.length
    }
  })
  expect(faults).toEqual([])
  // About nine of each operation that writes.
  expect(count).toBeGreaterThan(350)
  // That is a thousand requests, and every table read after each.
}, 900_000)
