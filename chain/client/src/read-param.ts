import { stringCamelCase } from '@polkadot/util'
import { isHex, parseHex } from './bytes.js'
import { chainDid, didToHex, parseDid } from './did.js'
import type { NamedParam, ParamType } from './param-type.js'
import { text } from './schemas-update.js'
import { TEXT_PROBLEMS, type TextKind } from './text-rules.js'
import type { Encodable } from './types.js'

/** What is wrong with a parameter, and where: `update.Modify.0x12….issuers`. */
export class ParamError extends Error {
  override readonly name = 'ParamError'
  constructor(
    readonly path: string,
    problem: string,
  ) {
    super(`${path} ${problem}`)
  }
}

/** The fields of a JSON object as the registry of types takes them, in order. Throws `ParamError`. */
export function readFields(fields: readonly NamedParam[], json: unknown, path: string): [string, Encodable][] {
  const given = objectOf(json, path)
  const byName = new Map<string, unknown>()
  for (const [written, value] of Object.entries(given)) {
    const name = stringCamelCase(written)
    if (!fields.some((field) => field.name === name))
      throw new ParamError(`${path}.${shown(written)}`, `is not known: expected ${names(fields.map((f) => f.name))}`)
    if (byName.has(name)) throw new ParamError(`${path}.${name}`, 'is given twice')
    byName.set(name, value)
  }
  return fields.map(({ name, type }) => [name, readParam(type, byName.get(name), `${path}.${name}`)])
}

function readParam(type: ParamType, json: unknown, path: string): Encodable {
  if (type.kind === 'optional') return json === undefined || json === null ? null : readParam(type.inner, json, path)
  if (json === undefined) throw new ParamError(path, 'is missing')
  switch (type.kind) {
    case 'boolean':
      if (typeof json !== 'boolean') throw new ParamError(path, 'must be true or false')
      return json
    case 'integer':
      return integerOf(type.bits, json, path)
    case 'list':
    case 'set':
      return itemsOf(type, json, path)
    case 'map':
      return mapOf(type, json, path)
    case 'struct':
      return Object.fromEntries(readFields(type.fields, json, path))
    case 'variants':
      return variantOf(type.variants, json, path)
    default:
      return fromText(type, json, path)
  }
}

type TextType = Extract<ParamType, { kind: 'did' | 'svc' | 'fixed' | 'bytes' | 'text' }>

function fromText(type: TextType, json: unknown, path: string): Encodable {
  if (typeof json !== 'string') throw new ParamError(path, 'must be text')
  if (type.kind === 'text') return plainText(type.text, json, path)
  if (type.kind === 'bytes') return bytesText(json, path)
  if (type.kind === 'fixed') return fixedText(type.length, json, path)
  const did = parseDid(json)
  if (type.kind === 'did') {
    if (did === undefined) throw new ParamError(path, 'must be a DID: did:svc:… or did:key:…')
    return chainDid(did)
  }
  const id = did && didToHex(did)
  if (id === undefined) throw new ParamError(path, 'must be a DID of this ledger: did:svc:…')
  return id
}

function plainText(kind: TextKind, json: string, path: string): Encodable {
  const problem = TEXT_PROBLEMS[kind](json)
  if (problem !== undefined) throw new ParamError(path, problem)
  return text(json)
}

function bytesText(json: string, path: string): Encodable {
  if (!json.startsWith('0x')) return text(json)
  const hex = json.toLowerCase()
  if (!isHex(hex)) throw new ParamError(path, 'begins with 0x, but is not hexadecimal')
  return hex
}

function fixedText(length: number, json: string, path: string): Encodable {
  const hex = parseHex(json, length)
  if (hex === undefined) throw new ParamError(path, `must be ${length} bytes, written as hexadecimal`)
  return hex
}

/** Numbers above 2^53 come as decimal text. */
function integerOf(bits: number, json: unknown, path: string): bigint {
  const isWhole =
    (typeof json === 'number' && Number.isSafeInteger(json)) || (typeof json === 'string' && /^\d{1,40}$/.test(json))
  const value = isWhole ? BigInt(json) : -1n
  if (value < 0n || value >= 1n << BigInt(bits))
    throw new ParamError(path, `must be a whole number of at most ${bits} bits`)
  return value
}

function itemsOf(type: Extract<ParamType, { kind: 'list' | 'set' }>, json: unknown, path: string): Encodable {
  if (!Array.isArray(json)) throw new ParamError(path, 'must be a list')
  const items = json.map((item: unknown, index) => readParam(type.item, item, `${path}[${index}]`))
  if (type.kind === 'set') refuseTwins(items, (index) => `${path}[${index}]`)
  return items
}

function mapOf(type: Extract<ParamType, { kind: 'map' }>, json: unknown, path: string): Encodable {
  const entries = Object.entries(objectOf(json, path)).map(([key, value]) => {
    const place = `${path}.${shown(key)}`
    return { place, key: readParam(type.key, key, place), value: readParam(type.value, value, place) }
  })
  refuseTwins(
    entries.map(({ key }) => key),
    (index) => entries[index]?.place ?? path,
  )
  return new Map(entries.map(({ key, value }) => [key, value]))
}

/** The same value in two spellings. */
function refuseTwins(values: readonly Encodable[], place: (index: number) => string): void {
  const seen = new Set<string>()
  values.forEach((value, index) => {
    const canonical = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
    if (seen.has(canonical)) throw new ParamError(place(index), 'is given twice')
    seen.add(canonical)
  })
}

function variantOf(
  variants: Extract<ParamType, { kind: 'variants' }>['variants'],
  json: unknown,
  path: string,
): Encodable {
  const expected = `must be one of ${names([...variants.keys()])}`
  if (typeof json === 'string') {
    if (!variants.has(json) || variants.get(json) !== undefined) throw new ParamError(path, expected)
    return json
  }
  const [entry, another] = Object.entries(objectOf(json, path))
  if (entry === undefined || another !== undefined) throw new ParamError(path, expected)
  const [name, value] = entry
  const content = variants.get(name)
  if (content === undefined) throw new ParamError(`${path}.${shown(name)}`, expected)
  return { [name]: readParam(content, value, `${path}.${name}`) }
}

function objectOf(json: unknown, path: string): object {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new ParamError(path, 'must be an object')
}

const names = (all: readonly string[]): string => all.join(', ') || 'nothing'
/** Callers write long names too. */
const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name)
