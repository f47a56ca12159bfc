import { parseJson } from '../../platform/http/input/json.js'
import { isObject, type Json, type JsonObject } from '../json.js'
import { isDate, isExact, isSignableName, PARSING, type SignedSchema } from './signed-schema.js'

/** The schema inside a credential, and how its leaves become field elements. */
export interface ReadSchema {
  readonly schema: Extract<SignedSchema, { type: 'object' }>
  /** The URI of the schema that its subject satisfies; undefined: it names none. */
  readonly uri: string | undefined
}

/** The id of a schema that is nowhere but in the credential. */
export const NO_URI = 'data:application/json;charset=utf-8,'

/** The most messages of a credential: each is one more field element and one more generator. */
export const MOST_MESSAGES = 256

/** The versions whose form is known: earlier ones were signed in another. */
const VERSIONS: readonly Json[] = ['0.4.0', '0.5.0']

const MEMBERS = ['id', 'type', 'version', 'details']

/** Reads the member `credentialSchema`; a text says why it cannot be read. */
export function readSchema(given: Json | undefined): ReadSchema | string {
  if (!isObject(given)) return 'credentialSchema is no object'
  // The library passes over members that it does not know.
  const other = Object.keys(given).find((name) => !MEMBERS.includes(name))
  if (other !== undefined) return `credentialSchema has a member that is not signed: ${other.slice(0, 64)}`
  if (!VERSIONS.includes(given.version ?? null)) return 'the version of credentialSchema is not known'
  if (typeof given.id !== 'string' || typeof given.details !== 'string') return 'credentialSchema has no id or details'
  const details = parsed(given.details)
  if (!isObject(details) || !isObject(details.parsingOptions)) return 'the details of credentialSchema cannot be read'
  const whole = details.fullJsonSchema ?? details.jsonSchema
  const schema = schemaIn(whole, whole, optionsOf(details.parsingOptions), 0)
  if (schema?.type !== 'object') return 'credentialSchema holds a kind of schema that is not known here'
  return { schema, uri: given.id === NO_URI ? undefined : given.id }
}

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

interface Options {
  minimum: number
  digits: number
}

const optionsOf = ({ defaultMinimumInteger: minimum, defaultDecimalPlaces: digits }: JsonObject): Options => ({
  minimum: typeof minimum === 'number' ? minimum : PARSING.defaultMinimumInteger,
  digits: typeof digits === 'number' ? digits : PARSING.defaultDecimalPlaces,
})

const MOST_DEPTH = 32

/** The texts that the library encodes so that they can be decrypted: for everything else they are texts. */
const TEXT_REFERENCES: readonly Json[] = ['#/definitions/encryptableString', '#/definitions/encryptableCompString']

/** Reads one node; undefined: its form is not known here. */
function schemaIn(
  node: Json | undefined,
  root: Json | undefined,
  options: Options,
  depth: number,
): SignedSchema | undefined {
  if (!isObject(node) || depth > MOST_DEPTH) return undefined
  if ('$ref' in node) return TEXT_REFERENCES.includes(node.$ref ?? null) ? { type: 'string' } : undefined
  const inner = (value: Json) => schemaIn(value, root, options, depth + 1)
  switch (node.type) {
    case 'object': {
      if (!isObject(node.properties)) return undefined
      const members = Object.entries(node.properties).map(([name, value]) => [name, inner(value)] as const)
      const known = members.flatMap(([name, schema]) =>
        schema && isSignableName(name) ? [[name, schema] as const] : [],
      )
      return known.length === members.length ? { type: 'object', properties: Object.fromEntries(known) } : undefined
    }
    case 'array': {
      if (!Array.isArray(node.items)) return undefined
      const items = node.items.map(inner).filter((item) => item !== undefined)
      return items.length === node.items.length ? { type: 'array', items } : undefined
    }
    case 'string':
      return node.format === 'date' || node.format === 'date-time'
        ? { type: 'string', format: node.format }
        : { type: 'string' }
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
      return { type: 'integer', minimum: numberOr(node.minimum, options.minimum) }
    case 'number':
      return {
        type: 'number',
        minimum: numberOr(node.minimum, options.minimum),
        multipleOf: numberOr(node.multipleOf, Number(`1e-${options.digits}`)),
      }
    default:
      return undefined
  }
}

const numberOr = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

/** The number of messages that a schema makes. */
export function countLeaves(schema: SignedSchema): number {
  if (schema.type === 'array') return schema.items.reduce((sum, item) => sum + countLeaves(item), 0)
  if (schema.type !== 'object') return 1
  return Object.values(schema.properties).reduce((sum, inner) => sum + countLeaves(inner), 0)
}

/**
 * Compares what is shown with the signed schema: the library encodes a number and its text alike, rounds numbers, and
 * passes over members that the schema lacks, so that none of these would be covered by the proof.
 * @param isPart whether members may be left out: a holder hides them
 * @returns why it differs; undefined: each value has the one form that the schema gives it
 */
export function differenceFrom(
  schema: SignedSchema,
  value: Json,
  isPart: boolean,
  place: readonly string[] = [],
): string | undefined {
  const differs = (what: string) => `${what} at ${place.join('/').slice(0, 200)} is not what was signed`
  switch (schema.type) {
    case 'object': {
      if (!isObject(value)) return differs('the value')
      const unknown = Object.keys(value).find((name) => !Object.hasOwn(schema.properties, name))
      if (unknown !== undefined) return differs(`the member ${unknown.slice(0, 64)}, which is not signed,`)
      const missing = Object.keys(schema.properties).find((name) => !Object.hasOwn(value, name))
      if (missing !== undefined && !isPart) return differs(`an object without ${missing.slice(0, 64)}`)
      return (
        firstOf(Object.entries(value), ([name, member]) => {
          const inner = schema.properties[name]
          return inner && differenceFrom(inner, member, isPart, [...place, name])
        }) ?? (Object.keys(value).length === 0 && place.length > 0 ? differs('an empty object') : undefined)
      )
    }
    case 'array':
      if (!Array.isArray(value) || value.length === 0 || value.length > schema.items.length) return differs('the list')
      if (value.length < schema.items.length && !isPart) return differs('a shorter list')
      return firstOf([...value.entries()], ([index, item]) => {
        const inner = schema.items[index]
        return inner && differenceFrom(inner, item, isPart, [...place, String(index)])
      })
    case 'string':
      return typeof value === 'string' && (schema.format === undefined || isDate(value, schema.format))
        ? undefined
        : differs('the text')
    case 'boolean':
      return typeof value === 'boolean' ? undefined : differs('the value')
    default:
      return typeof value === 'number' && isExact(schema, value) ? undefined : differs('the number')
  }
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
