import { GenericCall } from '@polkadot/types'
import {
  AbstractInt,
  BTreeMap,
  BTreeSet,
  Bytes,
  bool,
  Enum,
  Null,
  Option,
  Raw,
  Struct,
  Text,
} from '@polkadot/types-codec'
import { u8aToString } from '@polkadot/util'
import { type Hex, hex32Of, hexOf } from './bytes.js'
import { type ChainDid, type Did, didOf } from './did.js'
import { CLASH } from './types.js'

/** A decoded value without the codec's classes: what can be shown, compared and written as JSON. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain }

/**
 * Writes DIDs as their text, other variants as their name or { name: content }, bytes as text where they are printable
 * and hexadecimal elsewhere, numbers above 2^53 as text.
 */
export function plain(value: unknown): Plain {
  if (value instanceof Option) return value.isNone ? null : plain(value.unwrap())
  if (value instanceof Enum) return plainEnum(value)
  if (value instanceof Null) return null
  if (value instanceof bool) return value.isTrue
  if (value instanceof AbstractInt) return plainNumber(value.toBigInt())
  if (value instanceof Text) return value.toString()
  if (value instanceof Bytes) return plainBytes(value.toU8a(true))
  if (value instanceof Raw) return hexOf(value.toU8a(true))
  if (value instanceof BTreeMap) return plainMap(value)
  if (value instanceof BTreeSet) return [...value].map(plain)
  if (value instanceof GenericCall) return plainCall(value)
  if (value instanceof Struct) return plainStruct(value)
  if (Array.isArray(value)) return value.map(plain)
  return String(value)
}

function plainEnum(value: Enum): Plain {
  const did = didOfEnum(value)
  if (did) return did
  return value.isNone || value.inner instanceof Null ? value.type : { [value.type]: plain(value.inner) }
}

/** Returns the DID, where the variant is of the runtime's type of DIDs. */
function didOfEnum(value: Enum): Did | undefined {
  if (value.defKeys.join() !== 'Svc,Key,Other') return undefined
  const bytes = value.inner.toU8a(true)
  if (value.type === 'Svc') return didOf({ Svc: hex32Of(bytes) })
  return didOf(value.type === 'Other' ? { Other: hexOf(bytes) } : { Key: didKeyOfEnum(value.inner) })
}

function didKeyOfEnum(value: unknown): Extract<ChainDid, { Key: unknown }>['Key'] {
  if (!(value instanceof Enum)) throw new TypeError('a did:key is a variant')
  const publicKey: Hex = hexOf(value.inner.toU8a(true))
  return value.type === 'Ed25519' ? { Ed25519: publicKey } : { Secp256k1: publicKey }
}

/** A runtime call. */
export interface CallDescription {
  readonly pallet: string
  readonly call: string
  readonly parameters: { readonly [name: string]: Plain }
}

export function plainCall(call: GenericCall): CallDescription & { readonly [name: string]: Plain } {
  const parameters = call.meta.args.map(({ name }, position) => [name.toString(), plain(call.args[position])] as const)
  return { pallet: call.section, call: call.method, parameters: Object.fromEntries(parameters) }
}

function plainStruct(value: Struct): Plain {
  const entries: [string, unknown][] = [...value.entries()]
  return Object.fromEntries(entries.map(([name, field]) => [withoutClash(name), plain(field)]))
}

function withoutClash(name: string): string {
  return name.endsWith(CLASH) ? name.slice(0, -CLASH.length) : name
}

function plainMap(value: BTreeMap): Plain {
  const entries: [unknown, unknown][] = [...value.entries()]
  return Object.fromEntries(entries.map(([key, field]) => [nameOf(plain(key)), plain(field)]))
}

function nameOf(key: Plain): string {
  return typeof key === 'string' ? key : JSON.stringify(key)
}

function plainNumber(value: bigint): number | string {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value.toString()
}

function plainBytes(bytes: Uint8Array): string {
  const text = u8aToString(bytes)
  const isText = !/[\p{Cc}\uFFFD]/u.test(text) && hexOf(new TextEncoder().encode(text)) === hexOf(bytes)
  return isText ? text : hexOf(bytes)
}
