import { isObject, type JsonObject } from './schema-rules.js'

/** The keywords that demand a member which a holder may have left out. */
const DEMANDS: readonly string[] = ['required', 'dependentRequired', 'minProperties', 'minItems', 'minContains']

const known = new WeakMap<JsonObject, JsonObject>()

/**
 * Returns the schema that the claims of a derived credential have to satisfy: what is shown has to be right, and
 * nothing has to be shown. Conditions and alternatives (`if`, `anyOf`, `not` ...) stand as they are, and judge by what
 * is shown.
 */
export function ofShownClaims(schema: JsonObject): JsonObject {
  const made = known.get(schema) ?? withoutDemands(schema)
  known.set(schema, made)
  return made
}

const withoutDemands = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !DEMANDS.includes(keyword))
      .map(([keyword, value]) => [keyword, PARTS.get(keyword)?.(value) ?? value]),
  )

const inner = (value: unknown): unknown => (isObject(value) ? withoutDemands(value) : value)
const each = (value: unknown): unknown => (Array.isArray(value) ? value.map(inner) : inner(value))
const byName = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)])) : value

/** The keywords whose schemas apply to each part of the subject, whatever else it says. */
const PARTS: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['allOf', each],
  ['items', each],
  ['prefixItems', each],
  ['properties', byName],
  ['patternProperties', byName],
  ['additionalProperties', inner],
  ['$defs', byName],
  ['definitions', byName],
])
