import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { KNOWN_CONTEXTS, termNames, termsOf } from '../contexts/known-contexts.js'
import { CREDENTIALS, RDF, SECURITY } from '../contexts/namespaces.js'
import { isOwnTerm } from '../contexts/terms.js'
import { checkDescribedOnce, ISSUER, type Mention, mentionsIn } from './duplicate-subjects.js'
import {
  type Compared,
  checkId,
  checkMembers,
  checkUnambiguous,
  checkValue,
  compared,
  isFaithful,
  isSet,
  otherwise,
  type Property,
  unplain,
} from './unambiguous-json-ld.js'

/*
 * Contexts that ship with the service are the same for everybody, and none of them calls a claim otherwise than another
 * does (known-contexts.test.ts). So claims under them are read as the standard says: values are unordered sets, one of
 * them needs no array, `@set` and `@value` may be written out, and one thing may be described in several places, but
 * for subjects and issuer.
 *
 * That is how claims are read. What the document says of itself is what verifying looks at: whose it is, until when it
 * is valid, where its status stands. It stands under its own name in any case, as do the ids of issuer, subjects and
 * holder: written otherwise it would be signed, and not be looked at.
 *
 * Terms that the document defines itself change nothing of that where each only gives a name its own meaning (`score` is
 * `issuer-dependent#score`), and the name is one that no other of its contexts has: nothing can be called otherwise. Nor
 * can what only the vocabulary of a context that ships gives a meaning (`http://schema.org/score`). What stands under
 * these names has its plain form all the same: one text for what was signed.
 */

/** Compares what a document says with what is signed, by the contexts that it names. @throws FormatError */
export function checkForm(document: JsonObject, expanded: Json): void {
  const both = compared(document, expanded)
  const own = ownNames(asArray(document['@context']))
  if (own === undefined || !isReadAsStandard(both.json, own)) checkUnambiguous(both)
  else if (own.used.size === 0) checkStandardForm(both)
  else checkEither(both)
}

/** The plain form passes under own names as ever; the standard's passes where all of a thing stands in one place. */
function checkEither(both: Compared): void {
  try {
    checkUnambiguous(both)
  } catch (error) {
    if (!passes(() => checkStandardForm(both)) || !passes(() => checkDescribedOnce(both.node))) throw error
  }
}

function passes(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

const DOCUMENTS = ['VerifiableCredential', 'VerifiablePresentation']

/** The names of a document that no context that ships with the service defines. */
interface OwnNames {
  /** The terms that it defines itself; true: one holds a list. */
  terms: ReadonlyMap<string, boolean>
  /** A context that ships gives every other name a meaning. */
  hasVocabulary: boolean
  used: Set<string>
}

/** Returns undefined where a context is of somebody else, or defines something that could be read otherwise. */
function ownNames(contexts: readonly Json[]): OwnNames | undefined {
  const shipped: ReadonlySet<string>[] = []
  const terms = new Map<string, boolean>()
  let hasVocabulary = false
  for (const context of contexts) {
    const known = typeof context === 'string' ? KNOWN_CONTEXTS.get(context) : undefined
    if (known !== undefined) {
      shipped.push(termNames(known))
      hasVocabulary ||= termsOf(known).has('@vocab')
    } else if (isObject(context) && areOwnTerms(context))
      for (const [name, definition] of Object.entries(context)) terms.set(name, isObject(definition))
    else return undefined
  }
  const isClear = ![...terms.keys()].some((name) => shipped.some((names) => names.has(name)))
  return isClear ? { terms, hasVocabulary, used: new Set() } : undefined
}

/** Names that a vocabulary takes as they are. */
const WORD = /^[A-Za-z][\w-]*$/

/** Tells of a name that is the document's own whether it holds a list; undefined: it is none. */
function ownName(name: string, { terms, hasVocabulary, used }: OwnNames): boolean | undefined {
  const isOfVocabulary = hasVocabulary && !TERMS.has(name) && WORD.test(name)
  const isList = terms.get(name) ?? (isOfVocabulary ? false : undefined)
  if (isList !== undefined) used.add(name)
  return isList
}

function areOwnTerms(context: JsonObject): boolean {
  const definitions = Object.entries(context)
  return definitions.length > 0 && definitions.every(([name, definition]) => isOwnTerm(name, definition))
}

/**
 * Tells whether all that a document uses is defined by contexts that ship with the service, or its own. A value that
 * leaves no statement, such as null, calls for the plain form.
 */
function isReadAsStandard(json: JsonObject, own: OwnNames): boolean {
  // Every member of a proof is looked at.
  return asArray(json.type).some((type) => DOCUMENTS.some((one) => one === type)) && isDefined(json, own)
}

/** The keywords that may be written out. All others name content that is signed nowhere, or in another place. */
const KEYWORDS = new Set(['@id', '@type', '@value', '@language', '@direction', '@set', '@list'])

function isDefined(value: Json, own: OwnNames): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isDefined(item, own))
  if (!isObject(value)) return typeof value === 'number' ? isFaithful(value) : value !== null
  const isDatatype = '@value' in value
  return Object.entries(value).every(([name, inner]) => {
    if (name === 'type' || (name === '@type' && !isDatatype)) return areTypes(asArray(inner), own)
    const isList = ownName(name, own)
    if (isList !== undefined) return isPlain(inner, isList) && isDefined(inner, own)
    return (KEYWORDS.has(name) || TERMS.has(name)) && isDefined(inner, own)
  })
}

/** Tells whether a value under an own name is written in the only way that the plain form knows. */
function isPlain(value: Json, isList: boolean): boolean {
  if (isList || Array.isArray(value)) return isList && Array.isArray(value) && value.every(isPlainItem)
  return !isObject(value) || !Object.keys(value).some((name) => name.startsWith('@'))
}

const isPlainItem = (item: Json): boolean => isPlain(item, Array.isArray(item))

const areTypes = (types: Json[], own: OwnNames): boolean =>
  types.length > 0 &&
  types.every((type) => typeof type === 'string' && (ownName(type, own) !== undefined || TERMS.has(type)))

/** Every term of the contexts that ship with the service. */
const TERMS: ReadonlySet<string> = new Set([...KNOWN_CONTEXTS.values()].flatMap((context) => [...termNames(context)]))

function checkStandardForm({ json, node }: Compared): void {
  checkMembers(json, node, (property, member, values) => {
    if (isOfStandard(property)) checkOwn(property, member, asArray(values))
  })
  const own = [node, ...LOOKED_AT.flatMap((name) => asArray(node[`${CREDENTIALS}${name}`]))]
  const ids = new Set(own.map((one) => (isObject(one) ? one['@id'] : undefined)))
  for (const [id, mentions] of mentionsIn(node)) {
    // A blank label, or the empty list of RDF, could stand for something else.
    if (id.startsWith('_:') || id.startsWith(RDF)) throw unplain('an id is not written as it is signed')
    const described = mentions.filter(({ isDescribed }) => isDescribed)
    const place = placeOf(mentions)
    if ((ids.has(id) && described.length > 1) || (place && described.some((mention) => mention !== place)))
      throw unplain(`something is said of ${id.slice(0, 100)} in another place, where nobody looks`)
  }
}

const SUBJECT = /^\/credentialSubject(\/\d+)?$/

/** Returns the place of all claims about a subject, or about an issuer that is none; other things may have several. */
const placeOf = (mentions: readonly Mention[]): Mention | undefined =>
  mentions.find(({ path }) => SUBJECT.test(path)) ?? mentions.find(({ path }) => path === ISSUER)

const isOfStandard = ({ iri }: Property): boolean => iri.startsWith(CREDENTIALS) || iri.startsWith(SECURITY)

/** The things of which every member is looked at; of others only the id is. */
const LOOKED_AT = ['credentialStatus', 'credentialSchema']

/** Checks what the document says of itself: one value, or several where the standard has a set. */
function checkOwn(property: Property, member: Json, values: Json[]): void {
  const items = asArray(member)
  if (items.length !== values.length || (Array.isArray(member) && !isSet(property))) throw otherwise(property)
  values.forEach((value, place) => {
    const item = items[place] ?? null
    const isThing = isObject(value) && isObject(item) && !('@value' in value) && !('@list' in value)
    if (!isThing || LOOKED_AT.includes(property.name)) checkValue(property, item, value)
    else if ('@id' in value || 'id' in item) checkId(item.id, value['@id'] ?? null)
  })
}
