import { isObject, type Json, type JsonObject } from '../../json.js'
import { SECURITY } from './namespaces.js'

/**
 * The vocabulary of terms that an issuer did not define: W3C's namespace for terms whose meaning depends on the issuer.
 * https://www.w3.org/TR/vc-data-model-2.0/#vocabularies
 */
export const VOCABULARY = 'https://www.w3.org/ns/credentials/issuer-dependent#'

/** The base of relative ids (`1234`): with it they become part of what is signed instead of being dropped. */
export const RELATIVE_IDS = `${VOCABULARY.slice(0, -1)}/`

/** encodeURIComponent leaves `'()*!` as they are; so does an IRI. */
export const termIri = (name: string): string => `${VOCABULARY}${encodeURIComponent(name)}`

/** The few names in known contexts that are not the end of their IRI. */
const OTHER_NAMES = new Map([
  [`${SECURITY}expiration`, 'expires'],
  [`${SECURITY}authenticationMethod`, 'authentication'],
])

/**
 * The only name under which a property or type may stand in a document: the end of its IRI.
 * @returns undefined when the end is no percent-encoded text
 */
export function termNameOf(iri: string): string | undefined {
  const end = iri.startsWith(VOCABULARY) ? iri.slice(VOCABULARY.length) : iri.slice(endOf(iri))
  try {
    return OTHER_NAMES.get(iri) ?? (end.includes('%') ? decodeURIComponent(end) : end)
  } catch {
    return undefined
  }
}

const endOf = (iri: string): number => Math.max(iri.lastIndexOf('/'), iri.lastIndexOf('#'), iri.lastIndexOf(':')) + 1

/** JSON-LD cannot define these as terms: they are keywords, or are read as IRIs. */
const isDefinable = (name: string): boolean =>
  name !== 'id' && name !== 'type' && !name.startsWith('@') && !/[:/]/.test(name)

/**
 * An inline or hosted context that gives each name its own term.
 * @param names names of claims or types, in any order; what needs no term is left out
 * @param lists those among them that hold arrays: as plain terms they would be sets, whose order is not signed
 */
export function termsContext(names: Iterable<string>, lists: ReadonlySet<string> = new Set()): JsonObject {
  const sorted = [...new Set(names)].filter(isDefinable).sort()
  return Object.fromEntries(sorted.map((name) => [name, definitionOf(name, lists.has(name))]))
}

const definitionOf = (name: string, isList: boolean): Json =>
  isList ? { '@id': termIri(name), '@container': '@list' } : termIri(name)

/** Tells whether a definition only gives a name its own term, as `termsContext` does. */
export function isOwnTerm(name: string, definition: Json): boolean {
  if (!isDefinable(name)) return false
  if (typeof definition === 'string') return definition === termIri(name)
  if (!isObject(definition)) return false
  const { '@id': iri, '@container': container, ...rest } = definition
  return iri === termIri(name) && container === '@list' && Object.keys(rest).length === 0
}
