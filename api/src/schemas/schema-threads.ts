import { createHash } from 'node:crypto'
import { Piscina } from 'piscina'
import { FairQueue } from '../platform/fair-queue.js'
import type { SchemaFinding, SchemaTask, SchemaTaskResult } from './schema-check.worker.js'
import type { JsonObject } from './schema-rules.js'

/**
 * Run time. A check that takes longer than `quickMs` begins again among the slow ones, so that the quick ones of others wait
 * that long at most. One that hangs where it cannot be interrupted loses its thread after `hungMs` by the clock.
 */
const times = { quickMs: 50, hungMs: 60_000 } as const

/** In MB, of each thread. */
const memory = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 } as const

/** Slow checks give way to everything else of the service. */
const niceness = { quick: 0, slow: 5 } as const

/** In each line, of all teams; whoever has most there gives a place up first. */
const waiting = 512
const knownAsSlow = 1_000

/** What is to be done about a schema, for whom, and how long it may run. */
export interface SchemaWork {
  team: number
  schema: JsonObject
  /** As JSON; undefined: the schema itself is judged. */
  subject: string | undefined
  milliseconds: number
  /** Of `performance.now()`: nothing of it begins later. */
  until: number
}

/** Runs strangers' schemas in threads of their own, in fair shares between teams. */
export class SchemaThreads {
  private readonly quick = new Lane(niceness.quick)
  private readonly slow = new Lane(niceness.slow)
  /** Schemas by team and digest: whoever makes one slow makes it so for himself. */
  private readonly slowSchemas = new Set<string>()

  /** @throws 503 `unavailable` when too many checks of the team wait */
  async run(work: SchemaWork): Promise<SchemaTaskResult> {
    const key = `${work.team} ${digestOf(work.schema)}`
    if (this.slowSchemas.has(key)) return this.slow.run(work)
    const first = await this.quick.run({ ...work, milliseconds: Math.min(work.milliseconds, times.quickMs) })
    const milliseconds = work.milliseconds - first.spentMs
    if (first.kind !== 'late' || first.spentMs === 0 || milliseconds < 1) return first
    this.rememberAsSlow(key)
    const second = await this.slow.run({ ...work, milliseconds })
    return { ...second, spentMs: first.spentMs + second.spentMs }
  }

  /** Starts the threads, which takes them some time, before anybody waits for them. */
  start(): void {
    this.quick.start()
    this.slow.start()
  }

  async close(): Promise<void> {
    await Promise.all([this.quick.close(), this.slow.close()])
  }

  private rememberAsSlow(key: string): void {
    this.slowSchemas.add(key)
    const [oldest] = this.slowSchemas
    if (this.slowSchemas.size > knownAsSlow && oldest !== undefined) this.slowSchemas.delete(oldest)
  }
}

/** A thread and those who wait for it. */
class Lane {
  private pool: Piscina<SchemaTask, SchemaTaskResult> | undefined
  private readonly queue = new FairQueue({ running: 1, waiting })

  constructor(private readonly niceness: number) {}

  run(work: SchemaWork): Promise<SchemaTaskResult> {
    return this.queue.run(String(work.team), () => this.ask(work))
  }

  start(): Piscina<SchemaTask, SchemaTaskResult> {
    this.pool ??= openPool(this.niceness)
    return this.pool
  }

  async close(): Promise<void> {
    await this.pool?.destroy()
  }

  private async ask({ schema, subject, milliseconds, until }: SchemaWork): Promise<SchemaTaskResult> {
    if (performance.now() >= until) return { kind: 'late', spentMs: 0 }
    const task = { digest: digestOf(schema), schema: undefined, subject, milliseconds }
    const first = await this.runInThread(task)
    return first.kind === 'unknown' ? this.runInThread({ ...task, schema: JSON.stringify(schema) }) : first
  }

  private async runInThread(task: SchemaTask): Promise<SchemaTaskResult> {
    const hung = new AbortController()
    const timer = setTimeout(() => hung.abort(), times.hungMs)
    try {
      return await this.start().run(task, { signal: hung.signal })
    } catch (error) {
      const finding = hung.signal.aborted ? late : outOfMemory(error)
      return { ...finding, spentMs: task.milliseconds }
    } finally {
      clearTimeout(timer)
    }
  }
}

const late: SchemaFinding = { kind: 'late' }

/** The thread is gone and another one takes its place. */
function outOfMemory(error: unknown): SchemaFinding {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return { kind: 'unusable', reason: 'it takes too much memory' }
  throw error
}

// Hosted documents are kept as they were read, and never change.
const digests = new WeakMap<JsonObject, string>()

function digestOf(schema: JsonObject): string {
  const known = digests.get(schema)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('base64')
  digests.set(schema, digest)
  return digest
}

/** Under vitest the sources run as they are, a thread does not: there the compiled one is taken. */
function openPool(niceIncrement: number): Piscina<SchemaTask, SchemaTaskResult> {
  const isCompiled = import.meta.url.endsWith('.js')
  const file = isCompiled ? './schema-check.worker.js' : '../../dist/schemas/schema-check.worker.js'
  const pool = new Piscina<SchemaTask, SchemaTaskResult>({
    filename: new URL(file, import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    niceIncrement,
    resourceLimits: memory,
    // Threads that wait actively keep a processor busy.
    atomics: 'disabled',
    recordTiming: false,
  })
  // Whoever waits for the task hears of it.
  pool.on('error', () => undefined)
  return pool
}
