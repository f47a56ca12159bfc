import { createHash } from 'node:crypto'
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { RE2JS } from 're2js'
import {
  checkExtent,
  checkShape,
  type Dialect,
  dialectOf,
  isObject,
  type JsonObject,
  SchemaRefused,
} from './schema-rules.js'
import { TimeLimitExceeded, withinTime } from './time-limit.js'

const compileMilliseconds = 2_000
const validateMilliseconds = 1_000
const cached = 500
const shownErrors = 5

// RE2 runs in time linear to its input; the engine of the language does not, and patterns are written by strangers.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return { test: (text: string) => compiled.matcher(text).find() }
  },
  { code: 'linearRegExp' },
)

const options: Options = {
  strict: false,
  logger: false,
  allErrors: true,
  inlineRefs: false,
  addUsedSchema: false,
  code: { regExp: linearRegExp },
}

function validatorOf(dialect: Dialect): Ajv {
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options)
  formats.default(ajv)
  return ajv
}

const validators = new Map<Dialect, Ajv>()

function sharedValidator(dialect: Dialect): Ajv {
  const validator = validators.get(dialect) ?? validatorOf(dialect)
  validators.set(dialect, validator)
  return validator
}

/** A schema that can be asked whether a subject satisfies it. */
export type CompiledSchema = { document: JsonObject; validate: ValidateFunction }

const compiledSchemas = new Map<string, CompiledSchema>()

/**
 * Compiles a schema document, or takes it from the cache by its content. Throws SchemaRefused with a reason for the
 * caller: too large or deep, an unknown dialect, not valid in its dialect, a remote `$ref`, a pattern that RE2 does not
 * know (look-around, back references), or too much work.
 */
export function compileSchema(document: JsonObject): CompiledSchema {
  checkExtent(document)
  const key = createHash('sha256').update(JSON.stringify(document)).digest('base64')
  const known = compiledSchemas.get(key)
  if (known !== undefined) {
    // Moved to the end: the first of the map is the one that was not used for longest.
    compiledSchemas.delete(key)
    compiledSchemas.set(key, known)
    return known
  }
  checkShape(document)
  const compiled = { document, validate: compile(document, dialectOf(document)) }
  compiledSchemas.set(key, compiled)
  const [oldest] = compiledSchemas.keys()
  if (compiledSchemas.size > cached && oldest !== undefined) compiledSchemas.delete(oldest)
  return compiled
}

function compile(document: JsonObject, dialect: Dialect): ValidateFunction {
  // $schema chose the validator. A caller's $id could name a document that the validator knows; references to the
  // document itself (`#`) need one.
  const { $schema: _dialect, $id: _address, ...rest } = document
  const schema = { $id: 'urn:accredit:schema', ...rest }
  const validator = sharedValidator(dialect)
  try {
    return withinTime(compileMilliseconds, () => validator.compile(schema))
  } catch (error) {
    // A compilation that was stopped half way leaves its traces in the validator.
    if (error instanceof TimeLimitExceeded) validators.delete(dialect)
    throw new SchemaRefused(`not a valid ${dialect} schema: ${reasonOf(error)}`, { cause: error })
  } finally {
    validator.removeSchema(schema)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TimeLimitExceeded) return 'it takes too long to compile'
  if (!(error instanceof Error)) return 'it cannot be compiled'
  return error.message.slice(0, 500)
}

export type Satisfied = { satisfied: true } | { satisfied: false; reasons: string[] }

/**
 * Whether a credential's subject, or each of several, satisfies the schema. `id` names the subject rather than
 * describing it: it is looked at only when the schema speaks of it.
 */
export function validateSubject(compiled: CompiledSchema, subject: unknown): Satisfied {
  const subjects = Array.isArray(subject) ? subject : [subject]
  if (subjects.length === 0) return { satisfied: false, reasons: ['subject is empty'] }
  const reasons = subjects.flatMap((each, index) =>
    reasonsOf(compiled, each, Array.isArray(subject) ? `subject[${index}]` : 'subject'),
  )
  return reasons.length === 0 ? { satisfied: true } : { satisfied: false, reasons: reasons.slice(0, shownErrors) }
}

/** What a subject lacks, a sentence each that names the member; empty when it satisfies the schema. */
export function schemaErrors(document: JsonObject, subject: unknown): string[] {
  const outcome = validateSubject(compileSchema(document), subject)
  return outcome.satisfied ? [] : outcome.reasons
}

function reasonsOf({ document, validate }: CompiledSchema, subject: unknown, place: string): string[] {
  if (!isObject(subject)) return [`${place} must be an object`]
  const value = speaksOfId(document) ? subject : withoutId(subject)
  try {
    if (withinTime(validateMilliseconds, () => validate(value))) return []
  } catch (error) {
    return [
      `${place} could not be checked: ${error instanceof TimeLimitExceeded ? 'it takes too long' : 'the schema fails'}`,
    ]
  }
  const errors = validate.errors ?? []
  return [...new Set(errors.slice(0, shownErrors).map((error) => `${place}${describe(error)}`))]
}

function describe(error: ErrorObject): string {
  const path = error.instancePath.replaceAll('~1', '/').replaceAll('~0', '~')
  const { additionalProperty, allowedValues } = error.params
  const detail =
    additionalProperty ?? (Array.isArray(allowedValues) ? allowedValues.slice(0, 20).join(', ') : undefined)
  return `${path} ${error.message ?? 'is not valid'}${detail === undefined ? '' : `: ${detail}`}`.slice(0, 300)
}

function speaksOfId({ properties, required }: JsonObject): boolean {
  return (
    (isObject(properties) && Object.hasOwn(properties, 'id')) || (Array.isArray(required) && required.includes('id'))
  )
}

function withoutId(subject: JsonObject): JsonObject {
  const { id: _subject, ...rest } = subject
  return rest
}
