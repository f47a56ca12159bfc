import { stringCamelCase } from '@polkadot/util'
import { isHex, parseHex } from '../bytes.js'
import { chainDid, didToHex, parseAnyDid } from '../did.js'
import { text } from '../schemas-update.js'
import type { Encodable } from '../types.js'
import { blank, isBlankParam, ParamError, type ParamPlace, readEach, wrong } from './param-error.js'
import type { NamedParam, ParamType } from './param-type.js'
import { TEXT_PROBLEMS, type TextKind } from './text-rules.js'

/** Returns the fields of a JSON object as the registry of types takes them, in order. Throws `ParamError`. */
export function readFields(fields: readonly NamedParam[], json: unknown, place: ParamPlace): [string, Encodable][] {
  const known = fields.map(({ name }) => name)
  const byName = new Map<string, unknown>()
  const take = (written: string, value: unknown): void => {
    const name = stringCamelCase(written)
    if (!known.includes(name)) throw unknown([...place, written], name, known)
    if (byName.has(name)) throw wrong([...place, name], 'is given twice')
    byName.set(name, value)
  }
  const read: [string, Encodable][] = []
  readEach(
    [
      ...Object.entries(objectOf(json, place)).map((entry) => () => take(...entry)),
      ...fields.map(({ name, type }) => () => {
        read.push([name, readParam(type, byName.get(name), [...place, name])])
      }),
    ],
    (step) => step(),
  )
  return read
}

const unknown = (place: ParamPlace, name: string, known: readonly string[]): ParamError =>
  new ParamError([{ kind: 'unknown', place, name, known }])

function readParam(type: ParamType, json: unknown, place: ParamPlace): Encodable {
  if (type.kind === 'optional') {
    if (isBlankParam(json)) throw blank(place)
    return json === undefined ? null : readParam(type.inner, json, place)
  }
  if (json === undefined) throw wrong(place, 'is missing')
  switch (type.kind) {
    case 'boolean':
      if (typeof json !== 'boolean') throw wrong(place, 'must be true or false')
      return json
    case 'integer':
      return integerOf(type.bits, json, place)
    case 'list':
    case 'set':
      return itemsOf(type, json, place)
    case 'map':
      return mapOf(type, json, place)
    case 'struct':
      return Object.fromEntries(readFields(type.fields, json, place))
    case 'variants':
      return variantOf(type.variants, json, place)
    default:
      return fromText(type, json, place)
  }
}

type TextType = Extract<ParamType, { kind: 'did' | 'svc' | 'fixed' | 'bytes' | 'text' }>

function fromText(type: TextType, json: unknown, place: ParamPlace): Encodable {
  if (typeof json !== 'string') throw wrong(place, 'must be text')
  if (type.kind === 'text') return plainText(type.text, json, place)
  if (type.kind === 'bytes') return bytesText(json, place)
  if (type.kind === 'fixed') return fixedText(type.length, json, place)
  const did = parseAnyDid(json)
  if (type.kind === 'did') {
    if (did === undefined) throw wrong(place, 'must be a DID')
    return chainDid(did)
  }
  const id = did && didToHex(did)
  if (id === undefined) throw wrong(place, 'must be a DID of this ledger: did:svc:…')
  return id
}

function plainText(kind: TextKind, json: string, place: ParamPlace): Encodable {
  const problem = TEXT_PROBLEMS[kind](json)
  if (problem !== undefined) throw wrong(place, problem)
  return text(json)
}

function bytesText(json: string, place: ParamPlace): Encodable {
  if (isBlankParam(json)) throw wrong(place, 'is blank: no bytes are written as 0x')
  if (!json.startsWith('0x')) return text(json)
  const hex = json.toLowerCase()
  if (!isHex(hex)) throw wrong(place, 'begins with 0x, but is not hexadecimal')
  return hex
}

function fixedText(length: number, json: string, place: ParamPlace): Encodable {
  const hex = parseHex(json, length)
  if (hex === undefined) throw wrong(place, `must be ${length} bytes, written as hexadecimal`)
  return hex
}

/** Numbers above 2^53 come as decimal text. */
function integerOf(bits: number, json: unknown, place: ParamPlace): bigint {
  const isWhole =
    (typeof json === 'number' && Number.isSafeInteger(json)) || (typeof json === 'string' && /^\d{1,40}$/.test(json))
  const value = isWhole ? BigInt(json) : -1n
  if (value < 0n || value >= 1n << BigInt(bits)) throw wrong(place, `must be a whole number of at most ${bits} bits`)
  return value
}

function itemsOf(type: Extract<ParamType, { kind: 'list' | 'set' }>, json: unknown, place: ParamPlace): Encodable {
  if (!Array.isArray(json)) throw wrong(place, 'must be a list')
  const items = readEach<unknown, Encodable>(json, (item, index) => readParam(type.item, item, [...place, index]))
  if (type.kind === 'set') refuseTwins(items, (index) => [...place, index])
  return items
}

function mapOf(type: Extract<ParamType, { kind: 'map' }>, json: unknown, place: ParamPlace): Encodable {
  const given = Object.entries(objectOf(json, place))
  const entries = readEach(given, ([name, value]): [Encodable, Encodable] => {
    const within = [...place, name]
    return [readParam(type.key, name, within), readParam(type.value, value, within)]
  })
  const keys = entries.map(([key]) => key)
  refuseTwins(keys, (index) => [...place, given[index]?.[0] ?? ''])
  return new Map(entries)
}

/** The two are the same value in two spellings. */
function refuseTwins(values: readonly Encodable[], place: (index: number) => ParamPlace): void {
  const seen = new Set<string>()
  values.forEach((value, index) => {
    const canonical = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
    if (seen.has(canonical)) throw wrong(place(index), 'is given twice')
    seen.add(canonical)
  })
}

function variantOf(
  variants: Extract<ParamType, { kind: 'variants' }>['variants'],
  json: unknown,
  place: ParamPlace,
): Encodable {
  const known = [...variants.keys()]
  const expected = `must be one of ${known.join(', ')}`
  if (typeof json === 'string') {
    if (!variants.has(json) || variants.get(json) !== undefined) throw wrong(place, expected)
    return json
  }
  const entries = Object.entries(objectOf(json, place))
  readEach(entries, ([name]) => {
    if (!variants.has(name)) throw unknown([...place, name], name, known)
  })
  const [entry, another] = entries
  if (entry === undefined || another !== undefined) throw wrong(place, expected)
  const [name, value] = entry
  const content = variants.get(name)
  if (content === undefined) throw wrong([...place, name], expected)
  return { [name]: readParam(content, value, [...place, name]) }
}

function objectOf(json: unknown, place: ParamPlace): object {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw wrong(place, 'must be an object')
}
