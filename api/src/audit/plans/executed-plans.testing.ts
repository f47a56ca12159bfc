import { createHash } from 'node:crypto'
import pg from 'pg'
import { vi } from 'vitest'
import { Pipeline } from '../../platform/database/pipeline.js'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'

/** A node of a plan as Postgres tells it in JSON, with what it did. */
interface PlanNode {
  'Node Type': string
  Schema?: string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

export interface ExecutedStatement {
  text: string
  nodes: PlanNode[]
}

/**
 * Settings by which a connection tells the plan of every statement that it executes, also of statements inside
 * functions.
 */
const AUTO_EXPLAIN = {
  log_min_duration: '0',
  log_nested_statements: 'on',
  log_level: 'notice',
  log_format: 'json',
  log_verbose: 'on',
  log_analyze: 'on',
  log_timing: 'off',
}

/**
 * Returns the statements that the roles of a scratch database execute from now on, with their plans. Nobody may be
 * connected before.
 */
export class ExecutedPlans {
  #told: string[] = []
  readonly #connecting
  readonly #asking = askingOften()

  private constructor() {
    const hear = ({ message }: { message?: string | undefined }) => void this.#told.push(message ?? '')
    const { connect } = pg.Client.prototype
    this.#connecting = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (this: pg.Client, ...told) {
      this.on('notice', hear)
      return Reflect.apply(connect, this, told)
    })
  }

  static async of({ adminUrl, tenantUrl, systemUrl }: ScratchDatabase): Promise<ExecutedPlans> {
    const admin = new pg.Client({ connectionString: adminUrl })
    await admin.connect()
    const database = admin.escapeIdentifier(new URL(adminUrl).pathname.slice(1))
    for (const url of [tenantUrl, systemUrl]) {
      const alter = `alter role ${admin.escapeIdentifier(new URL(url).username)} in database ${database}`
      await admin.query(`${alter} set session_preload_libraries = 'auto_explain'`)
      for (const [name, value] of Object.entries(AUTO_EXPLAIN))
        await admin.query(`${alter} set auto_explain.${name} = '${value}'`)
    }
    await admin.end()
    return new ExecutedPlans()
  }

  async during<T>(run: () => Promise<T>): Promise<{ answer: T; executed: ExecutedStatement[] }> {
    this.#told = []
    const answer = await run()
    const executed = this.#told.flatMap((message) => {
      const plan = /^duration: .* plan:\n(\{.*)$/s.exec(message)?.[1]
      if (plan === undefined) return []
      const { 'Query Text': text, Plan } = JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode }
      return [{ text, nodes: nodesOf(Plan) }]
    })
    return { answer, executed }
  }

  close(): void {
    this.#connecting.mockRestore()
    this.#asking.mockRestore()
  }
}

/** The number of executions that Postgres plans for their values; after that it may keep one plan for any. */
const TIMES_PLANNED = 5

/** Executes each read-only statement once more, as one that its connection has known for long. */
function askingOften() {
  const { query } = pg.Client.prototype
  const known = new WeakMap<pg.Client, Set<string>>()
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  return spy.mockImplementation(function (this: pg.Client, ...asked: unknown[]) {
    const ask = () => Reflect.apply(query, this, asked)
    const [together] = asked
    if (together instanceof Pipeline) return Reflect.apply(query, this, [askingTogether(together, this)])
    const [text, values] = statementOf(asked)
    if (values.length === 0 || !/^\s*(select|with)\b/.test(text) || CHANGES.test(text)) return ask()
    const texts = known.get(this) ?? new Set()
    known.set(this, texts)
    const name = `often-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    const times = texts.has(text) ? 1 : TIMES_PLANNED + 1
    texts.add(text)
    const often = async () => {
      for (let i = 0; i < times; i++) await Reflect.apply(query, this, [{ name, text, values }])
    }
    return often().then(ask)
  })
}

/** Puts each read-only statement of a round trip several times before it, and lets only its own answers be heard. */
function askingTogether(pipeline: Pipeline, client: pg.Client): Pipeline {
  const repeated = pipeline.statements.map((statement) => {
    const { text, values } = statement
    if (values.length === 0 || !/^\s*(select|with)\b/.test(text) || CHANGES.test(text)) return [statement]
    const name = `often-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    return [...Array.from({ length: TIMES_PLANNED + 1 }, () => ({ name, text, values })), statement]
  })
  const last = repeated.map((_, i) => repeated.slice(0, i + 1).flat().length - 1)
  return new Pipeline(repeated.flat(), client, {
    resolve: (results) => pipeline.answer.resolve(last.flatMap((at) => results[at] ?? [])),
    reject: (error) => pipeline.answer.reject(error),
  })
}

const CHANGES = /\b(insert|update|delete|share|set_config|nextval|require)\b/i

/** `pg` takes a text and its values, or both in one object. */
function statementOf([asked, values]: unknown[]): [text: string, values: unknown[]] {
  if (typeof asked === 'string') return [asked, Array.isArray(values) ? values : []]
  const { text = '', values: own = [] } = asked as pg.QueryConfig
  return [text, own]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
