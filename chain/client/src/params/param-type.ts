import type { PortableRegistry } from '@polkadot/types'
import type { SiField, SiType, SiVariant } from '@polkadot/types/interfaces/scaleInfo'
import { stringCamelCase } from '@polkadot/util'
import { SERVICE_FIELDS, TEXT_FIELDS, type TextKind } from './text-rules.js'

/** The types of a call's parameter in JSON. */
export type ParamType =
  | { readonly kind: 'did' }
  /** The id of a DID of this ledger. */
  | { readonly kind: 'svc' }
  /** A fixed number of bytes, as hexadecimal. */
  | { readonly kind: 'fixed'; readonly length: number }
  /** Text, or bytes as hexadecimal. */
  | { readonly kind: 'bytes' }
  /** Text, and nothing else: a text that looks like hexadecimal is text too. */
  | { readonly kind: 'text'; readonly text: TextKind }
  | { readonly kind: 'integer'; readonly bits: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'list'; readonly item: ParamType }
  | { readonly kind: 'set'; readonly item: ParamType }
  | { readonly kind: 'map'; readonly key: ParamType; readonly value: ParamType }
  | { readonly kind: 'optional'; readonly inner: ParamType }
  | { readonly kind: 'struct'; readonly fields: readonly NamedParam[] }
  /** Variants by name; `undefined` where one has no content. */
  | { readonly kind: 'variants'; readonly variants: ReadonlyMap<string, ParamType | undefined> }

export interface NamedParam {
  readonly name: string
  readonly type: ParamType
}

type TypeId = SiField['type']

/** The fields of a call or a struct, in their order. */
export function namedParams(
  lookup: PortableRegistry,
  fields: Iterable<SiField>,
  texts: ReadonlyMap<string, TextKind> = TEXT_FIELDS,
): NamedParam[] {
  return [...fields].map(({ name, type }) => ({
    ...named(stringCamelCase(name.unwrapOr('value').toString()), paramType(lookup, type), texts),
  }))
}

/** The name of a type tells text from other bytes, which the metadata do not. */
function named(name: string, type: ParamType, texts: ReadonlyMap<string, TextKind>): NamedParam {
  const text = texts.get(name)
  if (text === undefined) return { name, type }
  if (type.kind === 'bytes') return { name, type: { kind: 'text', text } }
  if (type.kind === 'list' && type.item.kind === 'bytes')
    return { name, type: { kind: 'list', item: { kind: 'text', text } } }
  return { name, type }
}

function paramType(lookup: PortableRegistry, id: TypeId): ParamType {
  const type = lookup.getSiType(id)
  return wellKnown(lookup, type) ?? structural(lookup, type)
}

/** The types that mean more than their structure, by the last part of their path. */
function wellKnown(lookup: PortableRegistry, type: SiType): ParamType | undefined {
  const parameter = (index: number) => paramType(lookup, type.params[index]?.type.unwrap() ?? missing(type))
  switch (type.path.at(-1)?.toString()) {
    case 'Did':
      return { kind: 'did' }
    case 'DidId':
      return { kind: 'svc' }
    case 'H256':
      return { kind: 'fixed', length: 32 }
    case 'ServiceEntry':
      return { kind: 'struct', fields: namedParams(lookup, type.def.asComposite.fields, SERVICE_FIELDS) }
    case 'Option':
      return { kind: 'optional', inner: parameter(0) }
    case 'BTreeSet':
      return { kind: 'set', item: parameter(0) }
    case 'BTreeMap':
      return { kind: 'map', key: keyOf(parameter(0)), value: parameter(1) }
    default:
      return undefined
  }
}

/** Bytes that are keys of a map are the symbol of a currency. */
const keyOf = (type: ParamType): ParamType => (type.kind === 'bytes' ? { kind: 'text', text: 'currency' } : type)

function structural(lookup: PortableRegistry, { def }: SiType): ParamType {
  if (def.isComposite) return contentOf(lookup, def.asComposite.fields) ?? { kind: 'struct', fields: [] }
  if (def.isVariant) {
    const named = [...def.asVariant.variants].map(({ name, fields }: SiVariant) => [name.toString(), fields] as const)
    return {
      kind: 'variants',
      variants: new Map(named.map(([name, fields]) => [name, contentOf(lookup, fields)])),
    }
  }
  if (def.isSequence) return sequence(lookup, def.asSequence.type)
  if (def.isArray && isByte(lookup, def.asArray.type)) return { kind: 'fixed', length: def.asArray.len.toNumber() }
  if (def.isCompact) return paramType(lookup, def.asCompact.type)
  if (def.isPrimitive) return primitive(def.asPrimitive.type)
  throw new Error(`a call takes ${def.type}, which has no form in JSON here`)
}

/** A single field without a name stands for its content; no field is nothing. */
function contentOf(lookup: PortableRegistry, fields: Iterable<SiField>): ParamType | undefined {
  const all = [...fields]
  const [only] = all
  if (only === undefined) return undefined
  if (all.length === 1 && only.name.isNone) return paramType(lookup, only.type)
  return { kind: 'struct', fields: namedParams(lookup, all) }
}

function sequence(lookup: PortableRegistry, item: TypeId): ParamType {
  return isByte(lookup, item) ? { kind: 'bytes' } : { kind: 'list', item: paramType(lookup, item) }
}

function isByte(lookup: PortableRegistry, id: TypeId): boolean {
  const { def } = lookup.getSiType(id)
  return def.isPrimitive && def.asPrimitive.isU8
}

function primitive(name: string): ParamType {
  if (name === 'Bool') return { kind: 'boolean' }
  const bits = /^U(\d+)$/.exec(name)?.[1]
  if (bits === undefined) throw new Error(`a call takes ${name}, which has no form in JSON here`)
  return { kind: 'integer', bits: Number(bits) }
}

function missing({ path }: SiType): never {
  throw new Error(`the type ${path.join('::')} has no parameters`)
}
