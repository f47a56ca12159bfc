import { schemaPlaces } from './schema-places.js'
import { isObject, type JsonObject, SchemaRefused } from './schema-rules.js'

/**
 * The most schemas that may apply to one value, counted over all ways that lead to it. A credential holds some ten
 * thousand values at most, and a validator does about a million such steps a second.
 */
export const mostSteps = 1_000

/** Credentials are nested at most 32 deep. */
const levels = 32

/**
 * The cost of keywords beyond one step: every pattern is a machine of its own; a list of distinct members compares each
 * with each.
 */
const stepsOf = { pattern: 5, uniqueItems: 20, listedValues: 20 } as const

/**
 * Refuses a schema of which a single value could cost more than `mostSteps`. Two references to the same place double
 * what stands behind them, and ten such levels make a thousand.
 * @throws SchemaRefused
 */
export function checkCost(document: JsonObject): void {
  const cost = new SchemaCost(document)
  for (let level = 0; level <= levels; level++) cost.at(document, level)
}

/** The schemas that apply to one value, and how often each applies. */
type Applied = Map<JsonObject, number>

class SchemaCost {
  private readonly places
  private readonly applied = new Map<JsonObject, Applied>()
  private readonly children = new Map<JsonObject, Applied[]>()
  private readonly known: Map<JsonObject, number>[] = Array.from({ length: levels + 1 }, () => new Map())

  constructor(document: JsonObject) {
    this.places = schemaPlaces(document)
  }

  /** Returns the most steps for a value so many levels below the value that the schema applies to. */
  at(schema: JsonObject, level: number): number {
    const known = this.known[level]?.get(schema)
    if (known !== undefined) return known
    const steps =
      level === 0
        ? sum(this.appliedWith(schema), ownSteps)
        : Math.max(0, ...this.childrenOf(schema).map((one) => sum(one, (child) => this.at(child, level - 1))))
    if (steps > mostSteps) throw tooCostly()
    this.known[level]?.set(schema, steps)
    return steps
  }

  /** Returns the schemas that apply to the same value as a schema. */
  private appliedWith(schema: JsonObject): Applied {
    const known = this.applied.get(schema)
    if (known) return known
    const applied: Applied = new Map([[schema, 1]])
    // A reference that returns without going deeper never ends.
    this.applied.set(schema, endless)
    let total = 1
    for (const inPlace of this.inPlace(schema)) {
      const more = this.appliedWith(inPlace)
      if (more === endless) throw new SchemaRefused('a schema may not apply to the value that it is applied to already')
      for (const [each, times] of more) {
        total += times
        add(applied, each, times)
      }
      if (total > mostSteps) throw tooCostly()
    }
    this.applied.set(schema, applied)
    return applied
  }

  /**
   * Returns the schemas that apply to each member of a value, and to each place of a list, which the schemas of the
   * value distinguish.
   */
  private childrenOf(schema: JsonObject): Applied[] {
    const known = this.children.get(schema)
    if (known) return known
    const together = [...this.appliedWith(schema)]
    const places = new Set([otherMember, otherPlace, ...together.flatMap(([one]) => placesBelow(one))])
    const children = [...places].map((place) => {
      const below: Applied = new Map()
      for (const [one, times] of together) for (const child of childrenAt(one, place)) add(below, child, times)
      return below
    })
    const some = children.filter((below) => below.size > 0)
    this.children.set(schema, some)
    return some
  }

  private inPlace(schema: JsonObject): JsonObject[] {
    const parts = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'].flatMap((keyword) => schema[keyword] ?? [])
    const dependent = ['dependentSchemas', 'dependencies'].flatMap((keyword) => valuesOf(schema[keyword]))
    return [...parts, ...dependent].filter(isObject).concat(this.places.referencesOf(schema))
  }
}

const add = (applied: Applied, schema: JsonObject, times: number): void =>
  void applied.set(schema, (applied.get(schema) ?? 0) + times)

const endless: Applied = new Map()

const tooCostly = (): SchemaRefused =>
  new SchemaRefused(
    `one value may take at most ${mostSteps} steps: too many schemas apply to it, through $ref, allOf, anyOf, oneOf or patterns`,
  )

function sum(applied: Applied, steps: (schema: JsonObject) => number): number {
  let total = 0
  for (const [schema, times] of applied) total += times * steps(schema)
  return total
}

function ownSteps(schema: JsonObject): number {
  const patterns = Object.keys(objectOf(schema.patternProperties)).length + (typeof schema.pattern === 'string' ? 1 : 0)
  const values = Array.isArray(schema.enum) ? Math.floor(schema.enum.length / stepsOf.listedValues) : 0
  return 1 + patterns * stepsOf.pattern + (schema.uniqueItems === true ? stepsOf.uniqueItems : 0) + values
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const valuesOf = (value: unknown): unknown[] => Object.values(objectOf(value))

/** A member or a place in a list that no schema names. */
const otherMember = '*'
const otherPlace = '#'

/** The members (`.name`) and places in a list (`#0`) for which the schema has schemas of their own. */
function placesBelow(schema: JsonObject): string[] {
  const members = Object.keys(objectOf(schema.properties)).map((name) => `.${name}`)
  return [...members, ...listed(schema).map((_, index) => `#${index}`)]
}

/** Returns the schemas for places of a list one by one: both dialects have their keyword for them. */
const listed = ({ prefixItems, items }: JsonObject): unknown[] => [prefixItems, items].find(Array.isArray) ?? []

/** Returns the schemas that a schema applies to the value at that place below a value. */
function childrenAt(schema: JsonObject, place: string): JsonObject[] {
  const children = place.startsWith('#') ? inList(schema, place.slice(1)) : inObject(schema, place)
  return children.filter(isObject)
}

function inList(schema: JsonObject, index: string): unknown[] {
  const { items, additionalItems, unevaluatedItems, contains } = schema
  const own = index === '' ? undefined : listed(schema)[Number(index)]
  return own === undefined ? [items, additionalItems, unevaluatedItems, contains] : [own, contains]
}

function inObject(schema: JsonObject, place: string): unknown[] {
  const { properties, patternProperties, propertyNames, additionalProperties, unevaluatedProperties } = schema
  const own = place === otherMember ? undefined : objectOf(properties)[place.slice(1)]
  const any = [...valuesOf(patternProperties), propertyNames]
  return own === undefined ? [...any, additionalProperties, unevaluatedProperties] : [...any, own]
}
