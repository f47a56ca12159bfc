import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { type Fields, fieldsOf, hasRequired, isFields, listOf, requiredOf } from './json-schema.js'
import { allowed, got, type Mismatch, nameOf } from './mismatch-words.js'
import type { Place } from './pointer.js'

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
