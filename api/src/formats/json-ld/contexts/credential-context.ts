import { isDeepStrictEqual } from 'node:util'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { dataModelOf, FIRST_CONTEXT } from '../data-model.js'
import type { ExtraContexts } from './document-loader.js'
import { KNOWN_CONTEXTS, termsOf } from './known-contexts.js'
import { isOwnTerm, RELATIVE_IDS, termsContext } from './terms.js'

/** The meanings of names at one place: the last definition is looked at first. */
interface Scope {
  get(name: string): Json | undefined
}

export interface ContextRequest {
  /** The credential in W3C's names, without `@context` and `proof`. */
  credential: JsonObject
  /** The caller's contexts: URLs and inline contexts; the first of data model 2.0 stands first where it is meant. */
  given: Json[]
  /** The contexts of the status entry, of the signature suite, and of a hosted schema. */
  added: string[]
  extra: ExtraContexts
}

/**
 * The `@context` of a credential: W3C's first, then what never changes (its processed form is kept between documents),
 * then the caller's in their order, then generated terms for every member and type that none of these defines.
 * @returns also the URLs that were left out, since nothing is known about them; their terms are generated
 */
export function contextFor({ credential, given, added, extra }: ContextRequest): {
  context: Json[]
  leftOut: string[]
} {
  const known = (url: string): JsonObject | undefined => KNOWN_CONTEXTS.get(url) ?? extra.get(url)?.document
  const urls = given.filter((part) => typeof part === 'string')
  const first = FIRST_CONTEXT[dataModelOf(given)]
  const taken = termsOf(known(first) ?? {})
  const statics = [first, ...added.filter((url) => KNOWN_CONTEXTS.has(url) || !redefines(known(url) ?? {}, taken))]
  const usable = given.filter((part) => isObject(part) || (typeof part === 'string' && known(part) !== undefined))
  const named: Json[] = [...new Set([...statics, ...usable])]
  // Of equal objects the last one decides what names mean.
  const context = named.filter(
    (part, at) => !isObject(part) || !named.slice(at + 1).some((one) => isDeepStrictEqual(one, part)),
  )

  const terms = context.reduce<Scope>((scope, part) => {
    const document = typeof part === 'string' ? known(part) : part
    return isObject(document) ? within(scope, termsOf(document)) : scope
  }, NOTHING)
  const names: Names = { all: new Set(), lists: new Set() }
  if (terms.get('@vocab') === undefined) collectNames(credential, terms, names)
  const generated = termsContext(names.all, names.lists)
  if (terms.get('@base') === undefined && hasRelativeId(credential)) generated['@base'] = RELATIVE_IDS
  if (Object.keys(generated).length > 0) context.push(generated)
  return { context, leftOut: urls.filter((url) => known(url) === undefined) }
}

/**
 * Tells whether a context gives a name another meaning than it has: that of a hosted schema knows no data model, and the
 * second one protects names that the first does not know.
 */
const redefines = (context: JsonObject, taken: ReadonlyMap<string, Json>): boolean =>
  [...termsOf(context)].some(
    ([name, definition]) =>
      !name.startsWith('@') && taken.has(name) && JSON.stringify(taken.get(name)) !== JSON.stringify(definition),
  )

interface Names {
  all: Set<string>
  lists: Set<string>
}

/** Adds the members and types below `node` that `scope` does not define, as JSON-LD would look them up. */
function collectNames(node: Json, scope: Scope, names: Names): void {
  if (Array.isArray(node)) {
    for (const item of node) collectNames(item, scope, names)
    return
  }
  if (!isObject(node)) return
  let local = scope
  for (const type of asArray(node.type)) {
    if (typeof type !== 'string') continue
    if (scope.get(type) === undefined) names.all.add(type)
    local = narrowed(local, scope.get(type))
  }
  for (const [name, value] of Object.entries(node)) {
    if (name === 'id' || name === 'type' || name.startsWith('@')) continue
    const definition = local.get(name)
    if (definition === undefined || isOwnTermOfOtherShape(name, definition, value)) {
      names.all.add(name)
      if (Array.isArray(value)) names.lists.add(name)
    }
    // A definition by a type holds for its own node only; one by a member holds below it.
    collectNames(value, narrowed(scope, definition), names)
  }
}

/** A hosted context cannot know which claims will be lists: arrays under plain terms would lose their order. */
const isOwnTermOfOtherShape = (name: string, definition: Json, value: Json): boolean =>
  isOwnTerm(name, definition) && Array.isArray(value) !== isObject(definition)

function narrowed(scope: Scope, definition: Json | undefined): Scope {
  const scoped = isObject(definition) ? definition['@context'] : undefined
  return scoped === undefined ? scope : within(scope, termsOf(scoped))
}

const NOTHING: Scope = { get: () => undefined }

const within = (scope: Scope, terms: ReadonlyMap<string, Json>): Scope => ({
  get: (name) => (terms.has(name) ? terms.get(name) : scope.get(name)),
})

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/

function hasRelativeId(node: Json): boolean {
  if (Array.isArray(node)) return node.some(hasRelativeId)
  if (!isObject(node)) return false
  if (typeof node.id === 'string' && !ABSOLUTE.test(node.id)) return true
  return Object.values(node).some(hasRelativeId)
}

/**
 * Credential types with `VerifiableCredential` first and once.
 * @param fallback the type when the caller names none, such as the schema's name
 */
export function typesFor(given: string[], fallback: string | undefined): string[] {
  const named = given.filter((type) => type !== '' && type !== 'VerifiableCredential')
  const types = named.length > 0 ? named : fallback === undefined ? [] : [fallback]
  return [...new Set(['VerifiableCredential', ...types])]
}

/** `University Degree` → `UniversityDegree`; undefined when nothing usable is left. */
export function typeFromName(name: string): string | undefined {
  const words = name.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? []
  const type = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return type === '' ? undefined : type
}
