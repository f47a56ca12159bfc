import { parseUrl } from '../../platform/http/input/parse-url.js'
import { keywords } from './schema-keywords.js'
import { isObject, type JsonObject, SchemaRefused } from './schema-rules.js'

/** The document's own address; everything that it names lies within the document. */
export const documentUri = 'urn:accredit:schema'

/** The schemas directly inside a schema, under any keyword. */
export function subschemas(schema: JsonObject): JsonObject[] {
  return [
    ...keywords.lists.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...keywords.singles.flatMap((keyword) => schema[keyword] ?? []),
    ...keywords.maps.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ].filter(isObject)
}

/** The targets of the references of a document. */
export interface SchemaPlaces {
  /**
   * Returns the schemas that `$ref` and `$dynamicRef` of a schema apply.
   *
   * @throws SchemaRefused when they cannot be followed
   */
  referencesOf(schema: JsonObject): JsonObject[]
}

/** @param document a schema that a validator compiled: each of its references leads somewhere within it */
export function schemaPlaces(document: JsonObject): SchemaPlaces {
  const bases = new Map<JsonObject, string>()
  const resources = new Map<string, JsonObject>()
  const anchors = new Map<string, JsonObject>()
  const dynamic = new Map<unknown, JsonObject[]>()

  function visit(root: JsonObject, rootBase: string): void {
    const pending = [{ schema: root, outer: rootBase }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { schema, outer } = next
      if (bases.has(schema)) continue
      const base = schema === document ? outer : baseOf(schema, outer)
      bases.set(schema, base)
      if (base !== outer || schema === document) resources.set(base, schema)
      for (const name of anchorsOf(schema)) anchors.set(`${base}#${name}`, schema)
      if (schema.$dynamicAnchor !== undefined)
        dynamic.set(schema.$dynamicAnchor, [...(dynamic.get(schema.$dynamicAnchor) ?? []), schema])
      for (const inner of subschemas(schema)) pending.push({ schema: inner, outer: base })
    }
  }
  visit(document, documentUri)

  function follow(reference: string, base: string): JsonObject[] {
    const [resource = '', fragment = ''] = (absolute(reference, base) ?? '').split('#')
    const root = resources.get(resource)
    const target = anchors.get(`${resource}#${fragment}`) ?? (root && atPointer(root, fragment))
    if (target === undefined)
      throw new SchemaRefused(`the reference ${reference.slice(0, 200)} cannot be followed; write it as #/… or #anchor`)
    if (!isObject(target)) return []
    // A reference may lead to a place that no keyword makes a schema.
    visit(target, resource)
    return [target]
  }

  return {
    referencesOf(schema) {
      const base = bases.get(schema) ?? documentUri
      const { $ref, $dynamicRef } = schema
      const fixed = [$ref, $dynamicRef].flatMap((one) => (typeof one === 'string' ? follow(one, base) : []))
      const others = typeof $dynamicRef === 'string' ? (dynamic.get($dynamicRef.split('#')[1]) ?? []) : []
      return [...fixed, ...others.filter((schema) => !fixed.includes(schema))]
    },
  }
}

const absolute = (reference: string, base: string): string | undefined => parseUrl(reference, base)?.href

function baseOf({ $id }: JsonObject, outer: string): string {
  if (typeof $id !== 'string' || $id.startsWith('#')) return outer
  return absolute($id, outer)?.split('#')[0] ?? outer
}

function anchorsOf({ $id, $anchor, $dynamicAnchor }: JsonObject): string[] {
  const older = typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined
  return [older, $anchor, $dynamicAnchor].filter((name) => typeof name === 'string')
}

function atPointer(root: JsonObject, fragment: string): unknown {
  let place: unknown = root
  for (const part of fragment.split('/').slice(1)) {
    const name = decoded(part)
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined
    place = Object.entries(place).find(([key]) => key === name)?.[1]
  }
  return fragment === '' || fragment.startsWith('/') ? place : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
