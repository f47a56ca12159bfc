import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { shortened } from '../problems.js'
import { type Fields, fieldsOf, hasRequired, isFields, listOf, requiredOf } from './json-schema.js'
import { wordsOfPattern } from './pattern-words.js'
import type { Place } from './pointer.js'

/** A part of a value that its schema does not allow, and what would be allowed there. */
export interface Mismatch {
  place: Place
  message: string
}

/**
 * Yields every part of a value that a schema does not allow, in words: the value there, and the allowed ones. They come
 * one by one, so that a caller that reads only the first pays for no more: validators that collect all errors have no
 * bound.
 */
export function* mismatches(schema: TSchema, value: unknown, place: Place = []): Generator<Mismatch> {
  yield* inValue(fieldsOf(schema), value, place)
}

/** Returns at most so many of them. */
export function firstMismatches(schema: TSchema, value: unknown, most: number, place: Place = []): Mismatch[] {
  const found: Mismatch[] = []
  for (const one of mismatches(schema, value, place)) if (found.push(one) === most) break
  return found
}

function* inValue(schema: Fields, value: unknown, place: Place): Generator<Mismatch> {
  if (isFields(schema.if)) yield* inValue(fieldsOf(Check(schema.if, value) ? schema.then : schema.else), value, place)
  else if (listOf(schema.anyOf).length > 0) yield* inAlternatives(schema, value, place)
  else if (schema.type === 'object' && isFields(value)) yield* inObject(schema, value, place)
  else if (schema.type === 'array' && Array.isArray(value)) yield* inArray(schema, value, place)
  else if (!Check(schema, value)) yield wrong(schema, value, place)
}

/** The form that was most likely meant is checked: one of this kind, and with its required members. */
function* inAlternatives(schema: Fields, value: unknown, place: Place): Generator<Mismatch> {
  if (Check(schema, value)) return
  const ofKind = listOf(schema.anyOf).filter((form) => form.type === kindOf(value) && isContainer(form))
  const meant = ofKind.find((form) => hasRequired(form, value)) ?? ofKind[0]
  if (meant === undefined) yield wrong(schema, value, place)
  else yield* inValue(meant, value, place)
}

function* inObject(schema: Fields, value: Fields, place: Place): Generator<Mismatch> {
  const members = fieldsOf(schema.properties)
  for (const name of requiredOf(schema))
    if (!(name in value))
      yield { place: [...place, name], message: `${nameOf([...place, name])} is missing: ${allowed(members[name])}` }
  const { additionalProperties: others, patternProperties: patterns, ...own } = schema
  for (const [name, member] of Object.entries(value)) {
    const known = members[name] ?? patternFor(patterns, name) ?? others
    if (isFields(known)) yield* inValue(known, member, [...place, name])
    else if (known === false)
      yield { place: [...place, name], message: `There is no member ${nameOf([...place, name])}` }
  }
  const { properties: _, required: __, ...rest } = own
  if (!Check(rest, value)) yield wrong(schema, value, place)
}

function patternFor(patterns: unknown, name: string): unknown {
  return Object.entries(fieldsOf(patterns)).find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1]
}

function* inArray({ items, ...schema }: Fields, value: unknown[], place: Place): Generator<Mismatch> {
  if (!Check(schema, value)) yield wrong({ ...schema, items }, value, place)
  // Items beyond `maxItems` are refused already.
  const looked = typeof schema.maxItems === 'number' ? value.slice(0, schema.maxItems) : value
  if (isFields(items)) for (const [index, item] of looked.entries()) yield* inValue(items, item, [...place, index])
}

const wrong = (schema: Fields, value: unknown, place: Place): Mismatch => ({
  place,
  message: `${nameOf(place)} must be ${allowed(schema)}; got ${got(value, place, isAboutLength(schema, value))}`,
})

/** `rows[3].did` */
export const nameOf = (place: Place): string =>
  place.reduce<string>(
    (before, step) =>
      typeof step === 'number' ? `${before}[${step}]` : [before, shortened(step)].filter(Boolean).join('.'),
    '',
  ) || 'The body'

/** Returns what a schema allows, in words that follow "must be". */
export function allowed(schema: unknown): string {
  const fields = fieldsOf(schema)
  const alternatives = listOf(fields.anyOf)
  if (alternatives.length > 0) return anyOfThem(alternatives)
  if (fields.const !== undefined) return quoted(fields.const)
  if (Array.isArray(fields.enum)) return oneOfThem(fields.enum)
  const inWords = KINDS[String(fields.type)]
  return inWords ? inWords(fields) : 'there'
}

const quoted = (value: unknown): string => (value === '' ? 'an empty text' : String(value))

const oneOfThem = (values: readonly unknown[]): string =>
  `${values.length > 1 ? 'one of ' : ''}${values.map(quoted).join(', ')}`

function anyOfThem(alternatives: readonly Fields[]): string {
  const values = alternatives.filter((one) => one.const !== undefined).map((one) => one.const)
  const others = alternatives.filter((one) => one.const === undefined).map(allowed)
  return [...new Set([...(values.length > 0 ? [oneOfThem(values)] : []), ...others])].join(', or ')
}

const KINDS: Record<string, (schema: Fields) => string> = {
  string: ({ minLength, maxLength, pattern, format }) => {
    const length = range(minLength, maxLength, 'character')
    if (typeof format === 'string') return (FORMATS[format] ?? `a text in the form ${format}`) + length
    return `a text${length}${typeof pattern === 'string' ? ` ${wordsOfPattern(pattern) ?? `that matches ${pattern}`}` : ''}`
  },
  integer: ({ minimum, maximum }) => `a whole number${bounds(minimum, maximum)}`,
  number: ({ minimum, maximum }) => `a number${bounds(minimum, maximum)}`,
  boolean: () => 'true or false',
  null: () => 'null',
  array: ({ minItems, maxItems, uniqueItems }) =>
    `a list${range(minItems, maxItems, 'item')}${uniqueItems === true ? ', none of them twice' : ''}`,
  object: ({ minProperties, maxProperties }) => `an object${range(minProperties, maxProperties, 'member')}`,
}

const FORMATS: Record<string, string> = {
  'date-time': 'a time with its offset, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',
  uri: 'an absolute URI',
  uuid: 'a UUID',
}

/** ` of 2 to 128 characters` */
function range(least: unknown, most: unknown, what: string): string {
  const [low, high] = [typeof least === 'number' ? least : 0, typeof most === 'number' ? most : undefined]
  const count = (n: number): string => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
  if (high === undefined) return low > 0 ? ` of at least ${count(low)}` : ''
  if (low === high) return ` of ${count(high)}`
  return low > 0 ? ` of ${low.toLocaleString('en')} to ${count(high)}` : ` of at most ${count(high)}`
}

function bounds(least: unknown, most: unknown): string {
  if (typeof least === 'number' && typeof most === 'number') return ` from ${least} to ${most}`
  if (typeof least === 'number') return ` of at least ${least}`
  return typeof most === 'number' ? ` of at most ${most}` : ''
}

const SECRET = /password|secret|token|key(?!type|id)|seed|mnemonic/i

/**
 * Describes the value that was sent, without anything that may be a secret; of a text that has the wrong length, that.
 */
export function got(value: unknown, place: Place, isOfWrongLength = false): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value)) return `a list of ${value.length.toLocaleString('en')}`
  if (typeof value !== 'string') return isFields(value) ? 'an object' : 'nothing'
  if (value === '') return 'an empty text'
  if (isOfWrongLength || place.some((step) => SECRET.test(String(step))))
    return `a text of ${[...value].length.toLocaleString('en')} characters`
  return JSON.stringify(shortened(value))
}

/** Tells whether it is its length that is wrong with a text, as far as can be told without a pattern. */
function isAboutLength({ type, pattern, format, minLength, maxLength }: Fields, value: unknown): boolean {
  if (type !== 'string' || typeof value !== 'string') return false
  const length = [...value].length
  const isTooLong = typeof maxLength === 'number' && length > maxLength
  const isTooShort = typeof minLength === 'number' && length < minLength
  return isTooLong || isTooShort || (pattern === undefined && format === undefined)
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

const isContainer = ({ type }: Fields): boolean => type === 'object' || type === 'array'
