import { type Hex32, parseHex32, schemaId } from '@accredit/chain'
import { invalid } from '../../platform/errors.js'
import { parseUrl } from '../../platform/parse-url.js'

/** The most schemas that one request may name for one role: far below what one ledger call may change. */
export const SCHEMAS_MAX = 200

/** A schema as a caller names it: the ledger knows it by the hash of its URI. */
export interface SchemaRef {
  readonly hash: Hex32
  /** The URI; absent when the caller named the hash. */
  readonly uri?: string
}

const ABSOLUTE = /^(https?:\/\/|did:|urn:|blob:|ipfs:\/\/)[^\s\p{Cc}\ufffd]+$/iu

/** Reads a schema's URI or its hash; undefined: neither. */
export function schemaRef(text: string): SchemaRef | undefined {
  const hash = parseHex32(text)
  if (hash !== undefined) return { hash }
  if (text.length > 1024 || !ABSOLUTE.test(text) || parseUrl(text) === undefined) return undefined
  return { hash: schemaId(text), uri: text }
}

/** Reads the same. Throws `invalid_request` that names `field`. */
export function parseSchemaRef(text: string, field: string): SchemaRef {
  const ref = schemaRef(text)
  if (ref === undefined)
    throw invalid(
      `${field}: "${text.slice(0, 100)}" is neither the URI of a schema nor a hash of 64 hexadecimal digits`,
    )
  return ref
}

/** Reads a list of them. A schema named twice counts once, whether by URI or by hash. */
export function parseSchemaRefs(texts: readonly string[], field: string, parse = parseSchemaRef): SchemaRef[] {
  const refs = new Map<Hex32, SchemaRef>()
  for (const text of texts) {
    const ref = parse(text, field)
    if (refs.get(ref.hash)?.uri === undefined) refs.set(ref.hash, ref)
  }
  return [...refs.values()]
}

/** Reads schemas in a query, separated by commas. */
export function parseSchemaIds(ids: string): SchemaRef[] {
  const texts = ids.split(',').map((text) => text.trim())
  if (texts.length > SCHEMAS_MAX) throw invalid(`ids must name at most ${SCHEMAS_MAX} schemas`)
  return parseSchemaRefs(texts, 'ids')
}

export const hashesOf = (refs: readonly SchemaRef[]): Hex32[] => refs.map(({ hash }) => hash)

/** Returns the display names of schemas: the URI where it is known, else the hash. */
export const namesOf = (refs: readonly SchemaRef[]): string[] => refs.map(({ hash, uri }) => uri ?? hash)
