import { _, Ajv, Name, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { RE2JS } from 're2js'
import { type Mismatch, nameOf } from '../../platform/http/input/mismatch-words.js'
import type { Place } from '../../platform/http/input/pointer.js'
import { TOLD } from '../../platform/http/problems.js'
import { asLanguagePattern } from './language-pattern.js'
import { faultsOf } from './schema-faults.js'
import { documentUri } from './schema-places.js'
import {
  type Dialect,
  dialectOf,
  isObject,
  type JsonObject,
  type RefusedOptions,
  SchemaRefused,
} from './schema-rules.js'

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
  // Errors carry what they are about, to be put into words.
  verbose: true,
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
  if (!judge.validateSchema(schema)) {
    const faults = faultsOf(judge.errors ?? [], schema).slice(0, TOLD)
    throw refusal(dialect, faults[0]?.message ?? 'it cannot be compiled', { faults })
  }
  try {
    // A validator keeps everything that it ever compiled: each schema has its own, and both are forgotten at the same
    // time.
    return { document, validate: validatorOf(dialect, { validateSchema: false }).compile(schema) }
  } catch (error) {
    throw refusal(dialect, error instanceof Error ? error.message : 'it cannot be compiled', { cause: error })
  }
}

const refusal = (dialect: Dialect, reason: string, options: RefusedOptions): SchemaRefused =>
  new SchemaRefused(`not a valid ${dialect} schema: ${reason.slice(0, 500)}`, options)

/**
 * Returns what is wrong with a credential's subject, or each of several, with the places of members inside `subject`;
 * empty when it satisfies the schema. `id` names the subject rather than describing it: it is looked at only when the
 * schema speaks of it.
 * @throws what the validator throws, such as a RangeError of a schema that refers to itself without end
 */
export function faultsAgainst(compiled: CompiledSchema, subject: unknown): Mismatch[] {
  if (!Array.isArray(subject)) return faultsIn(compiled, subject, ['subject']).slice(0, TOLD)
  if (subject.length === 0) return [{ place: ['subject'], message: 'subject is empty' }]
  const faults: Mismatch[] = []
  for (const [index, each] of subject.entries()) {
    faults.push(...faultsIn(compiled, each, ['subject', index]))
    if (faults.length >= TOLD) break
  }
  return faults.slice(0, TOLD)
}

function faultsIn({ document, validate }: CompiledSchema, subject: unknown, place: Place): Mismatch[] {
  if (!isObject(subject)) return [{ place, message: `${nameOf(place)} must be an object` }]
  if (validate(speaksOfId(document) ? subject : withoutId(subject))) return []
  return faultsOf(validate.errors ?? [], subject, place)
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
