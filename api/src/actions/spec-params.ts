import { type DidCall, isBlankParam, ParamError, type ParamPlace, type ParamProblem } from '@accredit/chain'
import { Type } from 'typebox'
import { schemasByHash, withSchemaNames } from './schema-keys.js'

/**
 * The ledger's names of parameters that have another name in the specification, by call; all others have the same name.
 */
const LEDGER_NAMES: Record<string, Record<string, string>> = {
  'TrustRegistry.set_schemas_metadata': { schemas: 'update' },
}
/** The parameters whose members are schemas, by the ledger's names. */
const SCHEMA_MAPS: Record<string, string> = { 'TrustRegistry.set_schemas_metadata': 'update' }

/** The most parameters that are looked at one by one. */
const MOST_PARAMS = 100
const MOST_NONCE = 4_294_967_295

/** The answer's member for versions that the service filled in. */
export const ExpectedVersions = Type.Array(
  Type.Object({
    registryId: Type.String({ description: 'The trust registry' }),
    expectedVersion: Type.Integer({ description: 'Its version, as it was read' }),
  }),
  {
    description:
      'The versions of registries that the service filled in, as it read them: the action replaces a whole collection, and named none',
  },
)

export const SPEC_NAMES =
  'Besides those names the ones of the specification: `schemas` for `update`, and `nonce` in any action: the DID’s next one, which is its last one plus one. Schemas stand there by their URIs or their hashes'

/** Returns the JSON Schema of the parameters that a caller may write for a call. */
export function callerSchema({ name, paramsSchema }: DidCall): Record<string, unknown> {
  const ofSchemas = SCHEMA_MAPS[name]
  if (ofSchemas === undefined) return paramsSchema
  const properties = Object.entries(Object(paramsSchema.properties)).map(([member, schema]) => [
    member,
    member === ofSchemas ? withSchemaNames(schema) : schema,
  ])
  return { ...paramsSchema, properties: Object.fromEntries(properties) }
}

interface LedgerParams {
  params: object
  nonce?: number
  /** Tells faults by the names that the caller wrote. */
  asWritten(error: ParamError): ParamError
}

/** Returns the parameters by the ledger's names, with the nonce beside them. Throws `ParamError`. */
export function ledgerParams(call: string, given: object, place: ParamPlace): LedgerParams {
  const count = Object.keys(given).length
  if (count > MOST_PARAMS)
    throw new ParamError([{ kind: 'wrong', place, problem: `has ${count} members: no action has so many` }])
  const names = LEDGER_NAMES[call] ?? {}
  const { nonce, ...params } = { nonce: undefined, ...given }
  const problems: ParamProblem[] = []
  if ('nonce' in given) problems.push(...nonceProblems(nonce, [...place, 'nonce']))
  const entries = Object.entries(params).map(([written, value]): [string, unknown] => {
    const name = names[written]
    if (name === undefined) return [written, value]
    if (name in params) problems.push({ kind: 'wrong', place: [...place, written], problem: `is the same as ${name}` })
    return [name, value]
  })
  const keys = new Map<string, string>()
  const byHash = entries.map(([name, value], index): [string, unknown] => {
    if (name !== SCHEMA_MAPS[call]) return [name, value]
    const read = schemasByHash(value, [...place, Object.keys(params)[index] ?? name])
    problems.push(...read.problems)
    for (const [hash, written] of read.writtenAs) keys.set(hash, written)
    return [name, read.update]
  })
  if (problems.length > 0) throw new ParamError(problems)
  const writtenAs = new Map(
    Object.entries(names).flatMap(([written, name]) => (written in params ? [[name, written]] : [])),
  )
  return {
    params: Object.fromEntries(byHash),
    ...(typeof nonce === 'number' && { nonce }),
    asWritten: (error) =>
      new ParamError(
        error.problems.map((problem) => ({
          ...problem,
          place: problem.place.map((step, index) =>
            typeof step === 'number' ? step : ((index === place.length ? writtenAs : keys).get(step) ?? step),
          ),
        })),
      ),
  }
}

function nonceProblems(nonce: unknown, place: ParamPlace): ParamProblem[] {
  if (isBlankParam(nonce)) return [{ kind: 'blank', place }]
  if (typeof nonce === 'number' && Number.isInteger(nonce) && nonce >= 0 && nonce <= MOST_NONCE) return []
  return [{ kind: 'wrong', place, problem: 'must be a whole number of at most 32 bits' }]
}

/** Tells whether an update of schemas replaces a whole collection, which the ledger accepts only with the version. */
export function replacesCollection(update: unknown): boolean {
  const { Set: all, Modify: schemas } = members(update)
  return all !== undefined || [...valuesOf(schemas)].some(replacesInSchema)
}

function replacesInSchema(op: unknown): boolean {
  const { Set: all, Modify, Ensure } = members(op)
  if (all !== undefined) return true
  const { issuers, verifiers } = members(Modify ?? Ensure)
  return [issuers, verifiers].some((change) => members(change).Set !== undefined)
}

const members = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const valuesOf = (map: unknown): Iterable<unknown> => (map instanceof Map ? map.values() : [])
