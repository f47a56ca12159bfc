import { asArray, isObject, type Json, type JsonObject } from './json.js'
import { KNOWN_CONTEXTS } from './known-contexts.js'
import { isDefinable, isOwnTerm, RELATIVE_IDS, VOCABULARY } from './terms.js'

/**
 * A signature covers RDF: what terms mean, neither how they are called nor what RDF has no place for. A context is not
 * signed, so one that is written inside a document may do no more than give names their own terms.
 */

/** What inline contexts may not name in other words, since what is checked by name stands there. */
const RESERVED = [
  VOCABULARY,
  'https://www.w3.org/2018/credentials#',
  'https://w3id.org/security',
  'https://w3id.org/vc',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
]
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/
const PREFIX = /[:/?#[\]@]$/
const DEFINITION_KEYS = new Set(['@id', '@type', '@container'])
const VALUE_KEYS = new Set(['@value', '@type', '@language'])

/** Also the beginning of a reserved IRI is reserved: the rest could follow elsewhere. */
const isReserved = (iri: string): boolean => RESERVED.some((one) => iri.startsWith(one) || one.startsWith(iri))

const lastPart = (iri: string): string => iri.split(/[/#:]/).at(-1) ?? ''

/** Names that known contexts define at any depth: each may be a prefix (`cred:credentialStatus`). */
const KNOWN_NAMES: ReadonlySet<string> = new Set([...KNOWN_CONTEXTS.values()].flatMap((context) => namesIn(context)))

function namesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]) : []
}

/**
 * Whether the members of a credential or presentation can only mean what they are called.
 * @param document within the limits of nesting; credentials of a presentation have contexts of their own
 * @returns what is wrong with it, by the kind of fault
 */
export function unplainMeaning(
  document: JsonObject,
): { code: 'malformed' | 'invalid_context'; text: string } | undefined {
  const { '@context': context, verifiableCredential, ...members } = document
  const defined = new Map<string, string>()
  for (const part of asArray(context)) {
    const wrong = wrongContext(part, defined)
    if (wrong !== undefined) return { code: 'invalid_context', text: `its @context ${wrong}` }
  }
  const names = new Set<string>()
  const keyword = collectNames(members, names)
  if (keyword !== undefined) return { code: 'malformed', text: `it has a member ${keyword.slice(0, 64)}` }
  const renamed = renamedName(defined, names)
  if (renamed !== undefined)
    return { code: 'invalid_context', text: `it gives a claim another name (${renamed.slice(0, 64)})` }
  for (const credential of asArray(verifiableCredential)) {
    const wrong = isObject(credential) ? unplainMeaning(credential) : undefined
    if (wrong) return wrong
  }
  return undefined
}

function wrongContext(part: Json, defined: Map<string, string>): string | undefined {
  if (typeof part === 'string') return undefined
  if (!isObject(part)) return 'holds something that is neither a URL nor an object'
  for (const [name, definition] of Object.entries(part)) {
    if (isHarmlessKeyword(name, definition) || isOwnTerm(name, definition)) continue
    const iri = foreignIri(name, definition)
    if (iri === undefined) return `defines ${name.slice(0, 64)} as something other than an own term or a foreign IRI`
    defined.set(name, iri)
  }
  return undefined
}

function isHarmlessKeyword(name: string, value: Json): boolean {
  if (name === '@base') return value === RELATIVE_IDS
  if (name === '@version') return value === 1.1
  return name === '@vocab' && typeof value === 'string' && ABSOLUTE.test(value) && !isReserved(value)
}

/** The IRI of a definition that is no prefix, no keyword, and changes nothing but its own name. */
function foreignIri(name: string, definition: Json): string | undefined {
  const iri = isObject(definition) ? definition['@id'] : definition
  if (!isDefinable(name) || typeof iri !== 'string' || !ABSOLUTE.test(iri) || PREFIX.test(iri) || isReserved(iri))
    return undefined
  // `p:x` would be read through a term p.
  if (!/^[a-z0-9+.-]+:\/\//i.test(iri) && !/^(urn|did|tag|ni):/.test(iri)) return undefined
  if (!isObject(definition)) return iri
  const { '@type': type, '@container': container = '@set' } = definition
  if (!Object.keys(definition).every((key) => DEFINITION_KEYS.has(key))) return undefined
  if (container !== '@list' && container !== '@set') return undefined
  return type === undefined || type === '@id' || type === '@json' || isDatatype(type) ? iri : undefined
}

const isDatatype = (type: Json): boolean => typeof type === 'string' && ABSOLUTE.test(type)

/** @returns the first keyword among the names, which only the top and plain values may have */
function collectNames(value: Json, names: Set<string>): string | undefined {
  if (Array.isArray(value)) {
    for (const item of value) {
      const keyword = collectNames(item, names)
      if (keyword !== undefined) return keyword
    }
    return undefined
  }
  if (!isObject(value) || isPlainValue(value)) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (name.startsWith('@')) return name
    names.add(name)
    const keyword = collectNames(inner, names)
    if (keyword !== undefined) return keyword
  }
  return undefined
}

/** `{ "@value": "Abschluss", "@language": "de" }` */
const isPlainValue = (value: JsonObject): boolean =>
  '@value' in value &&
  Object.entries(value).every(
    ([name, part]) =>
      VALUE_KEYS.has(name) &&
      (typeof part === 'string' || (name === '@value' && part !== null && typeof part !== 'object')),
  )

/** A name that is an IRI of something reserved, or whose IRI is what another name looks like. */
function renamedName(defined: ReadonlyMap<string, string>, names: ReadonlySet<string>): string | undefined {
  const written = [...names].filter((name) => /[:/#]/.test(name))
  const hidden = written.find((name) => {
    const [prefix = ''] = name.split(':')
    return isReserved(name) || (name.includes(':') && (defined.has(prefix) || KNOWN_NAMES.has(prefix)))
  })
  if (hidden !== undefined) return hidden
  const meanings = [...defined, ...written.map((name): [string, string] => [name, name])]
  return meanings.find(([name, iri]) => {
    const other = lastPart(iri)
    const meaning = defined.get(other)
    return other !== name && meaning !== undefined && meaning !== iri
  })?.[0]
}
