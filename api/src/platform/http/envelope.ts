import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { type Fields, fieldsOf, hasRequired, isFields, listOf, requiredOf } from './input/json-schema.js'
import type { Place } from './input/pointer.js'

/** Visits one object of the caller's whose form this service defined. */
export type Visit = (object: Record<string, unknown>, envelope: Envelope, place: Place) => void

/** An object of a request whose form is ours: its members, some of which hold further ones. */
export interface Envelope {
  readonly members: ReadonlyMap<string, Member>
  /** True if the members that it does not name belong to a foreign format: a credential, a JSON Schema. */
  readonly isOpen: boolean
}

interface Member {
  readonly isOptional: boolean
  readonly takesNull: boolean
  /** True if an empty text means something of its own: it is among the allowed values. */
  readonly takesBlank: boolean
  readonly walk: Walk | undefined
}

type Walk = (value: unknown, visit: Visit, place: Place) => void

/** Returns a walk that visits every envelope in a value of this schema; undefined where there is none. */
export function envelopesOf(schema: TSchema): Walk | undefined {
  return compile(fieldsOf(schema))
}

function compile(schema: Fields): Walk | undefined {
  if (isFields(schema.if)) return eitherOf(schema.if, compile(fieldsOf(schema.then)), compile(fieldsOf(schema.else)))
  const alternatives = listOf(schema.anyOf)
  if (alternatives.length > 0) return oneOf(alternatives)
  if (schema.type === 'array') return eachOf(compile(fieldsOf(schema.items)))
  if (schema.type === 'object') return objectOf(schema)
  return undefined
}

function eitherOf(condition: TSchema, then: Walk | undefined, otherwise: Walk | undefined): Walk {
  return (value, visit, place) => (Check(condition, value) ? then : otherwise)?.(value, visit, place)
}

/**
 * Returns the first alternative whose required members are there; else the first object, so that a misspelt one is
 * found.
 */
function oneOf(alternatives: readonly Fields[]): Walk | undefined {
  const walks = alternatives.map((schema) => ({ schema, walk: compile(schema) })).filter(({ walk }) => walk)
  if (walks.length === 0) return undefined
  return (value, visit, place) => {
    const ofKind = walks.filter(({ schema }) => (schema.type === 'array') === Array.isArray(value))
    const fits = ofKind.find(({ schema }) => hasRequired(schema, value))
    const [first] = fits ? [fits] : ofKind
    first?.walk?.(value, visit, place)
  }
}

function eachOf(walk: Walk | undefined): Walk | undefined {
  if (walk === undefined) return undefined
  return (value, visit, place) => {
    if (!Array.isArray(value)) return
    for (const [index, item] of value.entries()) walk(item, visit, [...place, index])
  }
}

function objectOf(schema: Fields): Walk | undefined {
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  const envelope = { members: membersOf(schema), isOpen }
  if (isOpen && envelope.members.size === 0) return undefined
  const nested = isOpen ? [] : [...envelope.members].flatMap(([name, { walk }]) => (walk ? [{ name, walk }] : []))
  return (value, visit, place) => {
    if (!isFields(value)) return
    visit(value, envelope, place)
    for (const { name, walk } of nested) if (name in value) walk(value[name], visit, [...place, name])
  }
}

function membersOf(schema: Fields): Map<string, Member> {
  const required = new Set(requiredOf(schema))
  return new Map(
    Object.entries(fieldsOf(schema.properties)).map(([name, member]) => {
      const fields = fieldsOf(member)
      const isOptional = !required.has(name) || fields.default !== undefined
      return [
        name,
        { isOptional, takesNull: Check(fields, null), takesBlank: isBlankAllowed(fields), walk: compile(fields) },
      ]
    }),
  )
}

const isBlankAllowed = ({ anyOf }: Fields): boolean => listOf(anyOf).some((alternative) => alternative.const === '')

/** Returns the names of the members that answers of these schemas have at their top, in any of their forms. */
export function memberNames(schema: TSchema): string[] {
  const { properties, anyOf, items } = fieldsOf(schema)
  return [
    ...Object.keys(fieldsOf(properties)),
    ...listOf(anyOf).flatMap(memberNames),
    ...(isFields(items) ? memberNames(items) : []),
  ]
}
