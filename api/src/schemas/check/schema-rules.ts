import type { Mismatch } from '../../platform/http/input/mismatch-words.js'
import { parseUrl } from '../../platform/parse-url.js'

/** The limits of a schema document that a validator may see. Sizes are of the document as JSON text in UTF-8. */
export const limits = { bytes: 65_536, depth: 32, values: 5_000, nameLength: 256 } as const

export type JsonObject = { [key: string]: unknown }
export type Dialect = 'draft-07' | '2020-12'

/** A reason, written for the caller, for which a document is no schema that the service can host. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused'
  /** Each fault with its place in the document, as far as that is known. */
  readonly faults: readonly Mismatch[]

  constructor(message: string, { faults = [], ...options }: RefusedOptions = {}) {
    super(message, options)
    this.faults = faults
  }
}

export interface RefusedOptions {
  cause?: unknown
  faults?: readonly Mismatch[]
}

/** Not that of `formats/json.ts`: the members of a stranger's document may be anything. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const draft07 = 'http://json-schema.org/draft-07/schema'
const draft2020 = 'https://json-schema.org/draft/2020-12/schema'
// The second dialect does not exist, but clients in the field send it; it means the one they know.
const dialects = new Map<string, Dialect>([
  [draft07, 'draft-07'],
  ['http://json-schema.org/schema', 'draft-07'],
  [draft2020, '2020-12'],
])

/**
 * Returns the dialect of a document; one without `$schema` is draft-07. Throws SchemaRefused for an unknown dialect.
 */
export function dialectOf(document: JsonObject): Dialect {
  const { $schema } = document
  if ($schema === undefined) return 'draft-07'
  const known = typeof $schema === 'string' ? dialects.get(normalDialect($schema)) : undefined
  if (known === undefined) throw new SchemaRefused(`$schema must be ${draft07}# or ${draft2020}`)
  return known
}

function normalDialect(uri: string): string {
  const bare = uri.replace(/#$/, '')
  if (bare === draft2020.replace('https:', 'http:')) return draft2020
  return bare.replace(/^https:(\/\/json-schema\.org\/(?:draft-07\/)?schema)$/, 'http:$1')
}

/**
 * Refuses a document that is too large, too deep, or cannot be stored as text. Walks without recursion: depth is the
 * caller's.
 */
export function checkExtent(document: unknown): void {
  const pending: { value: unknown; depth: number }[] = [{ value: document, depth: 1 }]
  let values = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next
    if (++values > limits.values) throw new SchemaRefused(`a schema may hold at most ${limits.values} values`)
    if (depth > limits.depth) throw new SchemaRefused(`a schema may be nested at most ${limits.depth} deep`)
    if (typeof value === 'string') refuseUnstorable(value)
    if (typeof value !== 'object' || value === null) continue
    for (const [key, child] of Object.entries(value)) {
      refuseUnstorable(key)
      pending.push({ value: child, depth: depth + 1 })
    }
  }
  if (Buffer.byteLength(JSON.stringify(document)) > limits.bytes) {
    throw new SchemaRefused(`a schema may have at most ${limits.bytes} bytes: size not supported`)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
const unstorable = /[\u0000\p{Surrogate}]/u

function refuseUnstorable(text: string): void {
  if (unstorable.test(text)) {
    throw new SchemaRefused('a schema may not contain the character U+0000 or half a surrogate pair')
  }
}

/** Returns the name that a schema is shown and filed under: its `name`, its title, or the end of its address. */
export function nameOf({ name: given, title, $id }: JsonObject): string {
  const wanted = given ?? (textOf(title) || lastOf(textOf($id)) || 'Schema')
  const name = typeof wanted === 'string' ? wanted.trim() : ''
  if (name === '') throw refusedAt('name', 'must be a text that is not blank')
  if (name.length > limits.nameLength) throw refusedAt('name', `may have at most ${limits.nameLength} characters`)
  return name
}

/** The refusal of one member of a document. */
function refusedAt(member: string, problem: string): SchemaRefused {
  const message = `${member} ${problem}`
  return new SchemaRefused(message, { faults: [{ place: [member], message }] })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** `https://h.example/schemas/degree.schema.json` → `degree` */
const lastOf = (address: string): string =>
  decoded(/([^/:.]+)(?:\.[^/:]*)?\/?$/.exec(parseUrl(address)?.pathname ?? '')?.[1] ?? '').trim()

/** A text that is not percent-encoded UTF-8 stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A subject is an object; a schema that describes another type can hold for none. */
export function checkShape(document: JsonObject): void {
  const { type, properties, required, $async } = document
  const isObjectType = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  const isObjectOrAbsent = properties === undefined || isObject(properties)
  const faults = [
    ...(isObjectType ? [] : [refusedAt('type', "must be 'object': a schema describes a credential's subject")]),
    ...(isObjectOrAbsent ? [] : [refusedAt('properties', 'must be an object')]),
    ...(required === undefined || Array.isArray(required) ? [] : [refusedAt('required', 'must be an array')]),
    ...($async === undefined ? [] : [refusedAt('$async', 'is not supported')]),
  ].flatMap((refused) => refused.faults)
  const [first] = faults
  if (first !== undefined) throw new SchemaRefused(first.message, { faults })
}
