import type { Mismatch } from '../../platform/http/input/mismatch-words.js'
import { checkExtent, checkShape, type JsonObject, SchemaRefused } from './schema-rules.js'
import { type Patience, SchemaThreads } from './schema-threads.js'

/** The run time of others' work that all checks of a request wait for at most, while they wait for their turns. */
const WAITING_MS = 30_000

/** The outcome of a check of a subject against a schema; `unchecked`: it is not known, with the reason. */
export type SchemaOutcome =
  | { kind: 'satisfied' }
  | { kind: 'unsatisfied'; reason: string; faults: readonly Mismatch[] }
  | { kind: 'unchecked'; reason: string }

/** The checks of one request; they run one after the other and share its time. */
export interface RequestSchemaChecks {
  /** @throws 429 when too many checks of the team wait, 503 when too many of all do, or it waits too long */
  check(schema: JsonObject, subject: unknown): Promise<SchemaOutcome>
}

/** Compiles and runs schemas, away from the thread that serves requests. */
export interface SchemaChecks {
  /**
   * Checks a schema that is to be stored.
   *
   * @throws SchemaRefused with a reason for the caller: too large, deep or costly, an unknown dialect, not valid in its
   *   dialect
   */
  accept(team: number, schema: JsonObject): Promise<void>
  forRequest(team: number): RequestSchemaChecks
  close(): Promise<void>
}

declare module '../../platform/http/context.js' {
  interface ContextServices {
    readonly schemaChecks: SchemaChecks
  }
}

/**
 * @param runningMs the run time that the schemas and subjects of one request have together
 * @param waitingMs the run time of other work that a request waits for at most
 */
export function openSchemaChecks(runningMs: number, waitingMs = WAITING_MS): SchemaChecks {
  const threads = new SchemaThreads()
  const patient = (): Patience => ({ leftMs: waitingMs })
  return {
    async accept(team, schema) {
      checkExtent(schema)
      checkShape(schema)
      const work = { team, schema, subject: undefined, milliseconds: runningMs, patience: patient() }
      const result = await threads.run(work)
      if (result.kind === 'unusable') throw new SchemaRefused(result.reason, result)
      if (result.kind !== 'checked') throw new SchemaRefused(`the schema cannot be used: ${tooLong(runningMs)}`)
    },
    forRequest: (team) => new OneRequest(threads, team, runningMs, patient()),
    close: () => threads.close(),
  }
}

const tooLong = (runningMs: number): string =>
  `it takes longer than the ${runningMs} ms that all schemas of a request have together`

class OneRequest implements RequestSchemaChecks {
  private spentMs = 0
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly threads: SchemaThreads,
    private readonly team: number,
    private readonly runningMs: number,
    private readonly patience: Patience,
  ) {}

  check(schema: JsonObject, subject: unknown): Promise<SchemaOutcome> {
    const next = this.last.then(() => this.checkNext(schema, subject))
    this.last = next.catch(() => undefined)
    return next
  }

  private async checkNext(schema: JsonObject, subject: unknown): Promise<SchemaOutcome> {
    if (subject === undefined) return outcomeOf([{ place: ['subject'], message: 'subject must be an object' }])
    const { threads, team, runningMs, patience } = this
    const milliseconds = runningMs - this.spentMs
    if (milliseconds < 1) return { kind: 'unchecked', reason: tooLong(runningMs) }
    const result = await threads.run({ team, schema, subject: JSON.stringify(subject), milliseconds, patience })
    this.spentMs += result.spentMs
    if (result.kind === 'unusable') return { kind: 'unchecked', reason: result.reason }
    if (result.kind !== 'checked') return { kind: 'unchecked', reason: tooLong(runningMs) }
    return outcomeOf(result.faults)
  }
}

/** @param faults none: it is satisfied */
function outcomeOf(faults: readonly Mismatch[]): SchemaOutcome {
  const [first] = faults
  return first === undefined ? { kind: 'satisfied' } : { kind: 'unsatisfied', reason: first.message, faults }
}
