import { _, Ajv, type ErrorObject, Name, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { RE2JS } from 're2js'
import { asLanguagePattern } from './language-pattern.js'
import { documentUri } from './schema-places.js'
import { type Dialect, dialectOf, isObject, type JsonObject, SchemaRefused } from './schema-rules.js'

const shownErrors = 5

// RE2 runs in time linear to its input; the engine of the language does not, and patterns are written by strangers.
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(asLanguagePattern(pattern)))
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
  // Every object inherits members, such as `constructor`, that no subject has written.
  ownProperties: true,
  code: { regExp: linearRegExp },
}

/**
 * Ajv keeps the names that were evaluated in an object, which must not inherit any: `ownProperties` leaves that out.
 */
function evaluateOwnProperties(ajv: Ajv): void {
  const keyword = 'unevaluatedProperties'
  const definition = ajv.getKeyword(keyword)
  if (typeof definition !== 'object' || !('code' in definition)) return
  ajv.removeKeyword(keyword).addKeyword({
    ...definition,
    keyword,
    code(context, ruleType) {
      const { props } = context.it
      if (props instanceof Name)
        context.gen.if(_`typeof ${props} == "object"`, () => context.gen.code(_`Object.setPrototypeOf(${props}, null)`))
      definition.code(context, ruleType)
    },
  })
}

function validatorOf(dialect: Dialect, more: Options = {}): Ajv {
  const ajv = dialect === '2020-12' ? new Ajv2020({ ...options, ...more }) : new Ajv({ ...options, ...more })
  evaluateOwnProperties(ajv)
  formats.default(ajv)
  return ajv
}

// The judges of schemas are compiled once, when this file is loaded, at no request's cost.
const judges = { 'draft-07': validatorOf('draft-07'), '2020-12': validatorOf('2020-12') }
for (const judge of Object.values(judges)) judge.validateSchema({})

/** A schema that checks whether a subject satisfies it. */
export interface CompiledSchema {
  document: JsonObject
  validate: ValidateFunction
}

/**
 * Compiles a schema document. Takes milliseconds for an ordinary one, and seconds for a hostile one.
 *
 * @throws SchemaRefused with a reason for the caller: an unknown dialect, not valid in its dialect, a remote `$ref`, or
 *   a pattern that RE2 does not know (look-around, back references)
 */
export function compileSchema(document: JsonObject): CompiledSchema {
  const dialect = dialectOf(document)
  // $schema chose the validator. A caller's $id could name a document that the validator knows; references to the
  // document itself (`#`) need one.
  const { $schema: _dialect, $id: _address, ...rest } = document
  const schema = { $id: documentUri, ...rest }
  const judge = judges[dialect]
  if (!judge.validateSchema(schema)) throw refusal(dialect, judge.errorsText(judge.errors, { dataVar: 'schema' }))
  try {
    // A validator keeps everything that it ever compiled: each schema has its own, and both are forgotten at the same
    // time.
    return { document, validate: validatorOf(dialect, { validateSchema: false }).compile(schema) }
  } catch (error) {
    throw refusal(dialect, error instanceof Error ? error.message : 'it cannot be compiled', error)
  }
}

const refusal = (dialect: Dialect, reason: string, cause?: unknown): SchemaRefused =>
  new SchemaRefused(`not a valid ${dialect} schema: ${reason.slice(0, 500)}`, { cause })

/**
 * Returns the faults of a credential's subject, or of each of several: a sentence each that names the member; empty
 * when it satisfies the schema. `id` names the subject rather than describing it: it is checked only when the schema
 * mentions it.
 *
 * @throws the validator's error, such as a RangeError of a schema that refers to itself without end
 */
export function reasonsAgainst(compiled: CompiledSchema, subject: unknown): string[] {
  const subjects = Array.isArray(subject) ? subject : [subject]
  if (subjects.length === 0) return ['subject is empty']
  const reasons: string[] = []
  for (const [index, each] of subjects.entries()) {
    reasons.push(...reasonsOf(compiled, each, Array.isArray(subject) ? `subject[${index}]` : 'subject'))
    if (reasons.length >= shownErrors) break
  }
  return reasons.slice(0, shownErrors)
}

function reasonsOf({ document, validate }: CompiledSchema, subject: unknown, place: string): string[] {
  if (!isObject(subject)) return [`${place} must be an object`]
  if (validate(speaksOfId(document) ? subject : withoutId(subject))) return []
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
