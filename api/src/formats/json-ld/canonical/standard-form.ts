import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { KNOWN_CONTEXTS, termNames } from '../contexts/known-contexts.js'
import { CREDENTIALS, RDF, SECURITY } from '../contexts/namespaces.js'
import { ISSUER, type Mention, mentionsIn } from './duplicate-subjects.js'
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
 */

/** Compares what a document says with what is signed, by the contexts that it names. @throws FormatError */
export function checkForm(document: JsonObject, expanded: Json): void {
  const both = compared(document, expanded)
  if (isReadAsStandard(document['@context'], both.json)) checkStandardForm(both)
  else checkUnambiguous(both)
}

const DOCUMENTS = ['VerifiableCredential', 'VerifiablePresentation']

/**
 * Tells whether contexts that ship with the service define all that a document uses. One context of somebody else calls
 * for the plain form, and so does a value that leaves no statement, such as null.
 */
function isReadAsStandard(context: Json | undefined, json: JsonObject): boolean {
  const contexts = asArray(context)
  const isKnown = contexts.every((part) => typeof part === 'string' && KNOWN_CONTEXTS.has(part))
  // Every member of a proof is looked at.
  return isKnown && asArray(json.type).some((type) => DOCUMENTS.some((one) => one === type)) && isDefined(json)
}

/** The keywords that may be written out. All others name content that is signed nowhere, or in another place. */
const KEYWORDS = new Set(['@id', '@type', '@value', '@language', '@set', '@list'])

function isDefined(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isDefined)
  if (!isObject(value)) return typeof value === 'number' ? isFaithful(value) : value !== null
  const isDatatype = '@value' in value
  return Object.entries(value).every(([name, inner]) => {
    if (name === 'type' || (name === '@type' && !isDatatype)) return areTypes(asArray(inner))
    return (KEYWORDS.has(name) || TERMS.has(name)) && isDefined(inner)
  })
}

const areTypes = (types: Json[]): boolean =>
  types.length > 0 && types.every((type) => typeof type === 'string' && TERMS.has(type))

/** Every term of the contexts that ship with the service. */
const TERMS: ReadonlySet<string> = new Set([...KNOWN_CONTEXTS.values()].flatMap(termNames))

function checkStandardForm({ json, node }: Compared): void {
  checkMembers(json, node, (property, member, values) => {
    if (isOfStandard(property)) checkOwn(property, member, asArray(values))
  })
  const own = [node, ...LOOKED_AT.flatMap((name) => asArray(node[`${CREDENTIALS}${name}`]))]
  const ids = new Set(own.flatMap((one) => (isObject(one) ? (one['@id'] ?? []) : [])))
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
