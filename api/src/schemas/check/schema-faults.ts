import type { ErrorObject } from 'ajv'
import { type Fields, fieldsOf, isFields } from '../../platform/http/input/json-schema.js'
import { allowed, got, type Mismatch, nameOf } from '../../platform/http/input/mismatch-words.js'
import type { Place } from '../../platform/http/input/pointer.js'
import { shortened } from '../../platform/http/problems.js'

/** Of one fault. */
const MOST_CHARACTERS = 400
/** Of what an enumeration allows. */
const MOST_VALUES = 20

/** An error of a validator that was told to be verbose: it carries the schema that was broken, and the value. */
type Fault = ErrorObject<string, Record<string, unknown>, unknown>

/**
 * Returns what a validator found, in words, without doubles: what was got, and what is allowed. Of alternatives, none
 * of which a value satisfies, only that is told, and not why it is none of them.
 *
 * @param root the value that was looked at, and `place` where it stands
 */
export function faultsOf(errors: readonly Fault[], root: unknown, place: Place = []): Mismatch[] {
  const alternatives = errors.filter(({ keyword }) => ALTERNATIVES.has(keyword))
  const told = errors.filter((error) => !alternatives.some((other) => isInside(error, other)))
  const plain = told.filter(({ keyword }) => keyword !== 'if')
  const faults = (plain.length > 0 ? plain : told).map((error) => faultOf(error, root, place))
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()]
}

/** Keywords that say which other schemas a value must satisfy; what those say of it comes before their own error. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames'])

/** Tells whether an error comes out of another one's alternatives, rather than from what stands beside them. */
function isInside(error: Fault, other: Fault): boolean {
  if (error === other || !error.instancePath.startsWith(other.instancePath)) return false
  const beside = other.schemaPath.slice(0, other.schemaPath.lastIndexOf('/') + 1)
  return error.schemaPath.startsWith(`${other.schemaPath}/`) || !error.schemaPath.startsWith(beside)
}

function faultOf(error: Fault, root: unknown, before: Place): Mismatch {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = error.params
  const place = [...before, ...placeIn(root, error.instancePath)]
  if (typeof missingProperty === 'string') return missing([...place, missingProperty], missingProperty, error)
  const tooMuch = additionalProperty ?? unevaluatedProperty
  if (typeof tooMuch === 'string')
    return fault([...place, tooMuch], `There is no member ${nameOf([...place, tooMuch])} in the schema`)
  if (typeof propertyName === 'string')
    return fault([...place, propertyName], `${nameOf([...place, propertyName])} has a name that the schema forbids`)
  if (error.keyword === 'false schema') return fault(place, `${nameOf(place)} must not be there`)
  return fault(place, `${nameOf(place)} must be ${allowedBy(error)}; got ${got(error.data, place)}`)
}

const fault = (place: Place, message: string): Mismatch => ({ place, message: shortened(message, MOST_CHARACTERS) })

function missing(place: Place, name: string, { parentSchema, params }: Fault): Mismatch {
  const member = fieldsOf(fieldsOf(parentSchema).properties)[name]
  const because = typeof params.property === 'string' ? `, since ${params.property} is there` : ''
  return fault(place, `${nameOf(place)} is missing${because}${hasType(member) ? `: ${allowed(member)}` : ''}`)
}

/** The steps of a JSON pointer; those into lists are numbers. */
function placeIn(root: unknown, pointer: string): Place {
  const place: (string | number)[] = []
  let value = root
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    place.push(Array.isArray(value) ? Number(name) : name)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  }
  return place
}

/** Returns what would be allowed, in words that follow "must be". */
function allowedBy({ keyword, schema, parentSchema, params }: Fault): string {
  const kind = KIND_OF[keyword]
  const asked = fieldsOf(parentSchema)
  if (kind !== undefined) return allowed({ ...asked, type: asked.type === 'integer' ? 'integer' : kind, ...PLAIN })
  return WORDS[keyword]?.(schema, asked, params) ?? `as its schema asks for (${keyword})`
}

/** Of a schema with these keywords, they alone are what `allowed` would tell. */
const PLAIN = { enum: undefined, const: undefined, anyOf: undefined }

/** The kind of value that a keyword speaks of. */
const KIND_OF: Readonly<Record<string, string>> = {
  minLength: 'string',
  maxLength: 'string',
  pattern: 'string',
  format: 'string',
  minimum: 'number',
  maximum: 'number',
  minItems: 'array',
  maxItems: 'array',
  minProperties: 'object',
  maxProperties: 'object',
}

const WORDS: Readonly<Record<string, (schema: unknown, asked: Fields, params: Fields) => string>> = {
  type: (type, asked) =>
    Array.isArray(type) ? type.map((one) => allowed({ type: one })).join(', or ') : allowed({ ...asked, ...PLAIN }),
  enum: (values) => oneOf(Array.isArray(values) ? values : []),
  const: (value) => textOf(value),
  anyOf: (forms) => alternatives(forms),
  oneOf: (forms, _asked, { passingSchemas }) =>
    passingSchemas ? 'as one of the alternatives in the schema, and it is as two of them' : alternatives(forms),
  not: () => 'something else: the schema excludes this',
  if: () => 'as the schema asks for on a condition that is met',
  contains: () => 'a list with an item that the schema asks for',
  uniqueItems: () => 'a list with nothing in it twice',
  multipleOf: (step) => `a multiple of ${step}`,
  exclusiveMinimum: (limit) => `a number above ${limit}`,
  exclusiveMaximum: (limit) => `a number below ${limit}`,
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value || 'an empty text' : JSON.stringify(value)

function oneOf(values: readonly unknown[]): string {
  const more = values.length > MOST_VALUES ? ', …' : ''
  return `${values.length > 1 ? 'one of ' : ''}${values.slice(0, MOST_VALUES).map(textOf).join(', ')}${more}`
}

const hasType = (schema: unknown): boolean => isFields(schema) && typeof schema.type === 'string'

const alternatives = (forms: unknown): string =>
  Array.isArray(forms) && forms.every(hasType)
    ? allowed({ anyOf: forms })
    : 'as one of the alternatives that the schema allows'
