// The words of a mismatch, apart from the search for it: a thread that checks with another validator loads no second one.
import { shortened } from '../problems.js'
import { type Fields, fieldsOf, isFields, listOf } from './json-schema.js'
import { wordsOfPattern } from './pattern-words.js'
import type { Place } from './pointer.js'

/** A part of a value that its schema does not allow, and what would be allowed there. */
export interface Mismatch {
  place: Place
  message: string
}

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
