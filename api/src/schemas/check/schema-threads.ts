import { createHash } from 'node:crypto'
import { tooManyAtOnce } from '../../platform/errors.js'
import { FairThreads, ThreadLost } from '../../platform/process/fair-threads.js'
import type { SchemaFinding, SchemaTask, SchemaTaskResult } from './schema-check.worker.js'
import type { JsonObject } from './schema-rules.js'

/**
 * The limits of run time. A check that takes longer than `quickMs` begins again among the slow ones, so that the quick
 * ones of others wait that long at most. One that hangs where it cannot be interrupted loses its thread after `hungMs`
 * by the clock.
 */
const times = { quickMs: 50, hungMs: 60_000 } as const

/** Slow checks give way to everything else of the service. */
const niceness = { quick: 0, slow: 5 } as const

const knownAsSlow = 1_000

/** A task with a schema: the team that it is for, and how long it may run. */
export interface SchemaWork {
  team: number
  schema: JsonObject
  /** The subject as JSON; undefined: the schema itself is checked. */
  subject: string | undefined
  milliseconds: number
  patience: Patience
}

/**
 * The run time of other work that the work of a request still waits for. It is not of the clock: a busy machine makes
 * nobody wait for more work.
 */
export interface Patience {
  leftMs: number
}

/** Runs strangers' schemas in threads of their own, in fair shares between teams. */
export class SchemaThreads {
  private readonly quick = new Lane(niceness.quick)
  private readonly slow = new Lane(niceness.slow)
  /** Slow schemas by team and digest: a team slows down only its own. */
  private readonly slowSchemas = new Set<string>()

  /** @throws 429 when too many checks of the team wait, 503 when too many of all do, or it waits too long */
  async run(work: SchemaWork): Promise<SchemaTaskResult> {
    const key = `${work.team} ${digestOf(work.schema)}`
    if (this.slowSchemas.has(key)) return this.slow.run(work)
    const first = await this.quick.run({ ...work, milliseconds: Math.min(work.milliseconds, times.quickMs) })
    const milliseconds = work.milliseconds - first.spentMs
    if (first.kind !== 'late' || milliseconds < 1) return first
    this.rememberAsSlow(key)
    const second = await this.slow.run({ ...work, milliseconds })
    return { ...second, spentMs: first.spentMs + second.spentMs }
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
  private readonly threads: FairThreads<SchemaTask, SchemaTaskResult>
  /** The run time of all work so far. */
  private ranMs = 0

  constructor(niceness: number) {
    const { hungMs } = times
    this.threads = new FairThreads({
      from: import.meta.url,
      module: './schema-check.worker',
      threads: 1,
      niceness,
      hungMs,
    })
  }

  run({ team, schema, subject, milliseconds, patience }: SchemaWork): Promise<SchemaTaskResult> {
    const ranBefore = this.ranMs
    return this.threads.run(`team ${team}`, async (ask) => {
      patience.leftMs -= this.ranMs - ranBefore
      // Nothing is known about the schema yet: the request is refused, which says nothing about it.
      if (patience.leftMs < 0) throw tooManyAtOnce()
      const task = { digest: digestOf(schema), schema: undefined, subject, milliseconds }
      try {
        const first = await ask(task)
        return this.counted(first.kind === 'unknown' ? await ask({ ...task, schema: JSON.stringify(schema) }) : first)
      } catch (error) {
        if (error instanceof ThreadLost) return this.counted({ ...findingOf(error), spentMs: milliseconds })
        throw error
      }
    })
  }

  private counted(result: SchemaTaskResult): SchemaTaskResult {
    this.ranMs += result.spentMs
    return result
  }

  close(): Promise<void> {
    return this.threads.close()
  }
}

const findingOf = ({ why }: ThreadLost): SchemaFinding =>
  why === 'late' ? { kind: 'late' } : { kind: 'unusable', reason: 'it takes too much memory' }

// Hosted documents are kept as they were read, and never change.
const digests = new WeakMap<JsonObject, string>()

function digestOf(schema: JsonObject): string {
  const known = digests.get(schema)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('base64')
  digests.set(schema, digest)
  return digest
}
