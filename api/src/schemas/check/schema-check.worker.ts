/** Schemas of strangers are compiled and run here, in a thread of their own. */
import type { Mismatch } from '../../platform/http/input/mismatch-words.js'
import { runTime } from '../../platform/process/run-time.js'
import { CompiledSchemas } from './compiled-schemas.js'
import { type CompiledSchema, compileSchema, faultsAgainst } from './schema-check.js'
import { checkCost } from './schema-cost.js'
import { type JsonObject, SchemaRefused } from './schema-rules.js'
import { TimeLimitExceeded, withinTime } from './time-limit.js'

export interface SchemaTask {
  /** The digest of the schema's text. */
  digest: string
  /** The schema as JSON; left out when the thread may know it already. */
  schema: string | undefined
  /** The subject that has to satisfy it, as JSON; undefined: the schema is to be stored, and checked itself. */
  subject: string | undefined
  /** The limit of run time, see `runTime`. */
  milliseconds: number
}

/**
 * `unknown`: the schema has to be sent; `late`: it did not end in time; `unusable`: the reason for which it cannot be
 * compiled, or fails.
 */
export type SchemaFinding =
  | { kind: 'unknown' | 'late' }
  | { kind: 'unusable'; reason: string; faults?: readonly Mismatch[] }
  | { kind: 'checked'; faults: Mismatch[] }

export type SchemaTaskResult = SchemaFinding & { spentMs: number }

const compiledSchemas = new CompiledSchemas<CompiledSchema>()

export default function run(task: SchemaTask): SchemaTaskResult {
  const begun = runTime()
  const finding = find(task)
  return { ...finding, spentMs: runTime() - begun }
}

function find({ digest, schema, subject, milliseconds }: SchemaTask): SchemaFinding {
  const until = runTime() + milliseconds
  try {
    const compiled = compiledSchemas.get(digest) ?? compile(digest, schema, until)
    if (compiled === undefined) return { kind: 'unknown' }
    const faults = withinTime(left(until), () =>
      subject === undefined ? judged(compiled) : faultsAgainst(compiled, JSON.parse(subject)),
    )
    return { kind: 'checked', faults }
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return { kind: 'late' }
    if (!(error instanceof SchemaRefused)) return { kind: 'unusable', reason: 'the schema fails' }
    return { kind: 'unusable', reason: error.message, faults: error.faults }
  }
}

function compile(digest: string, schema: string | undefined, until: number): CompiledSchema | undefined {
  if (schema === undefined) return undefined
  const document: JsonObject = JSON.parse(schema)
  const compiled = withinTime(left(until), () => compileSchema(document))
  compiledSchemas.keep(digest, compiled, schema.length)
  return compiled
}

function judged({ document }: CompiledSchema): Mismatch[] {
  checkCost(document)
  return []
}

const left = (until: number): number => Math.max(1, until - runTime())
