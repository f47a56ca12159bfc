import { parseDateTimeStamp } from '../../ledger/read/instant.js'
import { FormatError } from '../format-error.js'
import { isObject, type Json, type JsonObject } from '../json.js'

/**
 * The schema that is signed inside a credential: the type of each leaf decides how its value becomes a field element.
 * It is always shown, so that it must not tell more of the values than their types.
 */
export type SignedSchema =
  | { type: 'object'; properties: { [name: string]: SignedSchema } }
  | { type: 'array'; items: SignedSchema[] }
  | LeafSchema

export type LeafSchema =
  | { type: 'string'; format?: 'date' | 'date-time' }
  | { type: 'boolean' }
  | { type: 'integer'; minimum: number }
  | { type: 'number'; minimum: number; multipleOf: number }

/** The assumptions of the library where a schema says nothing; they are signed too. */
export const PARSING = {
  useDefaults: false,
  defaultMinimumInteger: -(2 ** 32 - 1),
  defaultMinimumDate: -(2 ** 44 - 1),
  defaultDecimalPlaces: 0,
} as const

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/** A place in the document. */
export type Place = readonly (string | number)[]

/**
 * Returns the schema of what is signed: of every member as it is.
 * @param document without `credentialSchema`, and with `@context` and `type` as texts
 * @param named the schema that the subject satisfies: its bounds of numbers are taken over, for proofs about them
 * @throws FormatError for values that no field element stands for
 */
export function signedSchemaOf(
  document: JsonObject,
  named: { id: string; document: { readonly [member: string]: unknown } } | undefined,
): JsonObject {
  const properties = Object.entries(document).map(([name, value]): [string, Json] => [
    name,
    { ...schemaOf(value, [checkedName(name, [])], name === 'credentialSubject' ? named?.document : undefined) },
  ])
  return {
    ...(named && { $id: named.id }),
    $schema: DRAFT_07,
    type: 'object',
    properties: Object.fromEntries(properties),
  }
}

function schemaOf(value: Json, place: Place, hint: unknown): SignedSchema {
  if (Array.isArray(value)) {
    if (value.length === 0) throw unsignable('an empty list', place)
    const items = isObject(hint) ? hint.items : undefined
    const hintAt = (index: number) => (place.length === 1 ? hint : Array.isArray(items) ? items[index] : items)
    return { type: 'array', items: value.map((item, index) => schemaOf(item, [...place, index], hintAt(index))) }
  }
  if (!isObject(value)) return leafSchema(value, place, isObject(hint) ? hint : {})
  const members = Object.entries(value)
  if (members.length === 0) throw unsignable('an empty object', place)
  const hints = isObject(hint) && isObject(hint.properties) ? hint.properties : {}
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(([name, member]) => [
        checkedName(name, place),
        schemaOf(member, [...place, name], Object.hasOwn(hints, name) ? hints[name] : undefined),
      ]),
    ),
  }
}

/** Names are joined with dots to name what is signed: a dot inside a name would make two places one. */
export const isSignableName = (name: string): boolean => name !== '' && !name.includes('.') && name !== '__proto__'

function checkedName(name: string, place: Place): string {
  if (isSignableName(name)) return name
  throw unsignable(`a member with the name "${name.slice(0, 64)}" (a dot separates names)`, [...place, name])
}

function leafSchema(value: Json, place: Place, hint: JsonObject): LeafSchema {
  if (typeof value === 'string') return textSchema(value)
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (value === null) throw unsignable('null', place)
  const found = numberSchemas(Number(value), hint).find((schema) => isExact(schema, Number(value)))
  if (found === undefined) throw unsignable(`the number ${Number(value)}, which is too large or too fine,`, place)
  return found
}

const unsignable = (what: string, place: Place): FormatError =>
  new FormatError('malformed', `${what} at ${place.join('/')} cannot be signed with this algorithm`, { place })

/** Dates are signed as numbers, so that a holder can prove what they lie before or after. */
const textSchema = (text: string): LeafSchema => {
  const format = (['date', 'date-time'] as const).find((one) => isDate(text, one))
  return format === undefined ? { type: 'string' } : { type: 'string', format }
}

/** Tells whether a text is a date of that form, which exists and which a number of milliseconds stands for. */
export function isDate(text: string, format: 'date' | 'date-time'): boolean {
  const stamp = format === 'date' ? `${text}T00:00:00Z` : text
  if (!(format === 'date' ? DAY : INSTANT).test(text) || !parseDateTimeStamp(stamp)) return false
  return Date.parse(text) >= PARSING.defaultMinimumDate
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/

/** The smallest integers that a bound below zero is rounded to. */
const LOWEST = [PARSING.defaultMinimumInteger, -(2 ** 52)] as const

/** More digits than a number has let its multiple be whole, where floating point cannot tell two numbers apart. */
const FINER = 3

/** The types that may stand for a number, the best one first. */
function numberSchemas(value: number, hint: JsonObject): LeafSchema[] {
  const places = placesOf(value)
  if (places === undefined) return []
  const { minimum, multipleOf, type } = hint
  const bound = typeof minimum === 'number' && Number.isSafeInteger(minimum) && minimum <= value ? [minimum] : []
  const bounds = [...bound, ...LOWEST, ...(value < 0 ? [] : [0])]
  const wanted = type === 'number' && typeof multipleOf === 'number' ? digitsOf(multipleOf) : undefined
  if (places === 0 && wanted === undefined) return bounds.map((least) => ({ type: 'integer', minimum: least }))
  const first = Math.max(wanted ?? 0, places)
  const finenesses = Array.from({ length: FINER + 1 }, (_, more) => first + more)
  return finenesses.flatMap((digits) =>
    bounds.map((least): LeafSchema => ({ type: 'number', minimum: least, multipleOf: Number(`1e-${digits}`) })),
  )
}

/** The digits after the point; undefined where the number is written with an exponent, as very small ones are. */
function placesOf(value: number): number | undefined {
  const text = String(value)
  return /^-?\d+(\.\d+)?$/.test(text) ? (text.split('.')[1]?.length ?? 0) : undefined
}

type NumberSchema = Extract<LeafSchema, { minimum: number }>

/**
 * Tells whether the library's number for a value is the exact one: it calculates with floating point and drops what is
 * left over, so that 0.28 and 0.29 would count as the same.
 */
export function isExact(schema: LeafSchema, value: number): boolean {
  if (schema.type === 'string' || schema.type === 'boolean') return false
  const encoded = encodedNumber(schema, value)
  return Number.isSafeInteger(encoded) && encoded >= 0 && BigInt(encoded) === exactNumber(schema, value)
}

const offsetOf = ({ minimum }: NumberSchema): number => (minimum >= 0 ? 0 : -minimum)

/** The calculation of the library. */
function encodedNumber(schema: NumberSchema, value: number): number {
  const offset = offsetOf(schema)
  if (value < schema.minimum) return Number.NaN
  if (schema.type === 'integer') return offset + value
  return Math.trunc((offset + value) * 10 ** (digitsOf(schema.multipleOf) ?? Number.NaN))
}

/** The digits of 0.1, 0.01, …; the library reads no finer ones than these. */
function digitsOf(multipleOf: number): number | undefined {
  return [1, 2, 3, 4, 5, 6].find((digits) => Number(`1e-${digits}`) === multipleOf)
}

function exactNumber(schema: NumberSchema, value: number): bigint | undefined {
  const digits = schema.type === 'integer' ? 0 : digitsOf(schema.multipleOf)
  const places = placesOf(value)
  if (places === undefined || digits === undefined || places > digits) return undefined
  const [whole = '', fraction = ''] = String(value).split('.')
  return BigInt(`${whole}${fraction.padEnd(digits, '0')}`) + BigInt(offsetOf(schema)) * 10n ** BigInt(digits)
}
