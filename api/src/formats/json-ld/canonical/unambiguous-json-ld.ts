import { isDeepStrictEqual } from 'node:util'
import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { CREDENTIALS, RDF, SECURITY, STATUS, XSD } from '../contexts/namespaces.js'
import { RELATIVE_IDS, termNameOf, VOCABULARY } from '../contexts/terms.js'
import { checkDescribedOnce } from './duplicate-subjects.js'

/*
 * A signature covers RDF, and contexts are not signed: the same signature fits many texts. `score` may be called
 * `maxScore` by a context, `x` be written `[x, x]`, false as an object that programs take for true, and null stand
 * anywhere. So under contexts that do not ship with the service (`standard-form.ts`) one text only is accepted for what
 * was signed, its plain form:
 *
 * - each member is called like the end of its IRI, and each type like the end of its own;
 * - lists are arrays, and everything else is no array; what W3C defines to be a set (`evidence`) may be either, and the
 *   name, description and logo of the document and of its issuer are texts even if a claim of that name is a list;
 * - numbers and booleans are what they are in JSON, texts are texts; a text in a language is `{ @value, @language }`, perhaps with
 *   `@direction`;
 * - ids are written out; a thing that says no more than its id is an object under generated terms, a text under others;
 * - nothing is empty or null, and each thing with an id is described in one place.
 */

/** Compares what a document says with what is signed. @throws FormatError */
export function checkUnambiguous({ json, node }: Compared): void {
  checkNode(json, node, LABELS)
  checkDescribedOnce(node)
}

/** The content of a document, as it is written and as it is signed. */
export interface Compared {
  /** Its members without `@context`. */
  json: JsonObject
  /** The same, expanded. */
  node: JsonObject
}

/**
 * @param expanded the document, expanded. Credentials of a presentation are left out of both, and so are the proofs that
 *   another one stands over: they are looked at one by one.
 */
export function compared(document: JsonObject, expanded: Json): Compared {
  const [root, ...more] = asArray(expanded)
  if (!isObject(root) || more.length > 0) throw unplain('it does not say one thing')
  const { '@context': _context, proof: _proofs, ...json } = document
  const node = without(root, `${SECURITY}proof`)
  return asArray(json.type).includes('VerifiablePresentation')
    ? { json: without(json, 'verifiableCredential'), node: without(node, `${CREDENTIALS}verifiableCredential`) }
    : { json, node }
}

const without = (node: JsonObject, name: string): JsonObject =>
  name in node ? Object.fromEntries(Object.entries(node).filter(([key]) => key !== name)) : node

export const unplain = (text: string): FormatError => new FormatError('malformed', text)
const quoted = (name: string): string => `"${name.slice(0, 64)}"`

/** The labels with which a document and its issuer are shown. */
const LABELS: ReadonlySet<string> = new Set(['name', 'description', 'logo'])
const NO_LABELS: ReadonlySet<string> = new Set()

/** @param labels members that are texts, whatever their term says */
const checkNode = (json: JsonObject, node: JsonObject, labels = NO_LABELS): void =>
  checkMembers(json, node, (property, member, values) => {
    checkValues(property, member, labels.has(property.name) ? unlisted(values) : asArray(values))
  })

/** Each member stands under its own name, and none besides. @param check looks at what stands there */
export function checkMembers(
  json: JsonObject,
  node: JsonObject,
  check: (property: Property, member: Json, values: Json) => void,
): void {
  const left = new Map<string | undefined, Json>(Object.entries(json))
  const take = (name: string | undefined): Json | undefined => {
    const member = left.get(name)
    left.delete(name)
    return member
  }
  for (const [iri, values] of Object.entries(node)) {
    if (iri === '@id') checkId(take('id'), values)
    else if (iri === '@type') checkTypes(take('type'), asArray(values))
    else {
      const name = iri.startsWith('@') ? undefined : termNameOf(iri)
      const member = take(name)
      const property = { name: name ?? iri, iri }
      if (member === undefined)
        throw unplain(`the claim ${quoted(property.name)} is signed, and does not stand under its own name`)
      check(property, member, values)
    }
  }
  const [unsigned] = left.keys()
  if (unsigned !== undefined)
    throw unplain(`${quoted(unsigned)} is not signed: it is null, or not called what it means`)
}

/** The only item of a list, or the values as they are. */
function unlisted(values: Json): Json[] {
  const [list, ...more] = asArray(values)
  const items = isObject(list) && more.length === 0 ? asArray(list['@list']) : []
  return items.length === 1 ? items : asArray(values)
}

export function checkId(id: Json | undefined, iri: Json): void {
  if (!isId(id, iri)) throw unplain('an id is not written as it is signed')
}

/** Blank labels and the empty list of RDF could stand for something else. */
function isId(id: Json | undefined, iri: Json | undefined): boolean {
  if (typeof id !== 'string' || typeof iri !== 'string' || iri.startsWith('_:') || iri.startsWith(RDF)) return false
  return iri.startsWith(RELATIVE_IDS) ? iri === `${RELATIVE_IDS}${id}` : iri === id
}

function checkTypes(json: Json | undefined, types: Json[]): void {
  const names = asArray(json)
  const isSame = (type: Json, place: number): boolean => typeof type === 'string' && termNameOf(type) === names[place]
  const isPlain = types.length > 0 && names.length === types.length && types.every(isSame)
  if (!isPlain || new Set(names).size !== names.length) throw unplain('a type is not called what it means, or twice')
}

/** A member by its name, and the property that its values are signed under. */
export interface Property {
  name: string
  iri: string
}

const isOfCredentials = ({ iri }: Property): boolean => iri.startsWith(CREDENTIALS)

/** Members that may have several values in a credential: one alone needs no array, and order means nothing. */
const SETS = new Set([
  'credentialSubject',
  'credentialStatus',
  'credentialSchema',
  'evidence',
  'termsOfUse',
  'refreshService',
  'relatedResource',
  'renderMethod',
  'confidenceMethod',
])
/**
 * The same of a proof: the parties that it is meant for, and the proofs that it stands over; of a status: its messages, each
 * of which names its value, where more is said of it, and the purposes of a list.
 */
const OTHER_SETS = new Set([
  `${SECURITY}domain`,
  `${SECURITY}previousProof`,
  ...['statusMessage', 'statusReference', 'statusPurpose'].map((name) => `${STATUS}${name}`),
])
export const isSet = (property: Property): boolean =>
  OTHER_SETS.has(property.iri) || (isOfCredentials(property) && SETS.has(property.name))

function checkValues(property: Property, json: Json, values: Json[]): void {
  const [value, ...more] = values
  if (value === undefined) throw unplain(`${quoted(property.name)} is empty, which is not signed: leave it out`)
  if (isSet(property)) checkSet(property, asArray(json), values)
  else if (more.length > 0 || (Array.isArray(json) && !isList(value) && !isJsonLiteral(value)))
    throw unplain(`the order of ${quoted(property.name)} is not signed: its term needs "@container": "@list"`)
  else checkValue(property, json, value)
}

function checkSet(property: Property, items: Json[], values: Json[]): void {
  // Things without id are as many as they are; what is equal in all else counts once in RDF.
  const single = values.filter((value) => isObject(value) && ('@value' in value || isReference(value)))
  const isDistinct = new Set(single.map((value) => JSON.stringify(value))).size === single.length
  if (items.length !== values.length || !isDistinct)
    throw unplain(`${quoted(property.name)} holds something twice, or null`)
  values.forEach((value, place) => {
    checkValue(property, items[place] ?? null, value)
  })
}

const isList = (value: Json): value is { '@list': Json } =>
  isObject(value) && '@list' in value && Object.keys(value).length === 1
const isJsonLiteral = (value: Json): boolean => isObject(value) && value['@type'] === '@json'
const isReference = (value: JsonObject): boolean => '@id' in value && Object.keys(value).length === 1

export function checkValue(property: Property, json: Json, value: Json): void {
  if (isList(value)) checkList(property, json, asArray(value['@list']))
  else if (isObject(value) && '@value' in value) checkLiteral(property, json, value)
  else if (isObject(value) && isReference(value)) checkReference(property, json, value['@id'])
  else if (isObject(value) && isObject(json))
    checkNode(json, value, property.iri === `${CREDENTIALS}issuer` ? LABELS : NO_LABELS)
  else throw otherwise(property)
}

export const otherwise = ({ name }: Property): FormatError =>
  unplain(`${quoted(name)} is written otherwise than it is signed`)

function checkList(property: Property, json: Json, values: Json[]): void {
  if (!Array.isArray(json))
    throw unplain(`${quoted(property.name)} is a list by its term, or elsewhere: write a list here too`)
  if (json.length !== values.length) throw unplain(`${quoted(property.name)} holds null, which is not signed`)
  values.forEach((value, place) => {
    checkValue(property, json[place] ?? null, value)
  })
}

function checkReference(property: Property, json: Json, iri: Json | undefined): void {
  const { iri: member } = property
  if (member === `${SECURITY}proofPurpose` && typeof iri === 'string' && termNameOf(iri) === json) return
  const isGenerated = member.startsWith(VOCABULARY)
  if (!isGenerated && isId(json, iri)) return
  const mayBeObject = isGenerated || isOfCredentials(property)
  if (!mayBeObject || !isObject(json)) throw otherwise(property)
  checkNode(json, { '@id': iri ?? null })
}

function checkLiteral(property: Property, json: Json, value: JsonObject): void {
  const { '@value': literal = null, '@type': type, '@language': language, '@direction': direction, ...rest } = value
  const isPlain =
    Object.keys(rest).length === 0 &&
    (type === '@json'
      ? isDeepStrictEqual(json, literal)
      : language === undefined && direction === undefined
        ? json === literal && isOwnForm(literal, type)
        : type === undefined && isTagged(json, literal, { language, direction }))
  if (!isPlain) throw typeof json === 'number' && !isFaithful(json) ? tooLong(property) : otherwise(property)
}

const tooLong = ({ name }: Property): FormatError =>
  unplain(`the number ${quoted(name)} has more digits than are signed: round it, or write it as text`)

/** `{ "@value": "Abschluss", "@language": "de" }`, and with a direction. */
function isTagged(json: Json, literal: Json, { language, direction }: TaggedText): boolean {
  if (!isObject(json) || typeof literal !== 'string') return false
  const { '@value': text, '@language': tag, '@direction': shown, ...others } = json
  const isSameLanguage = typeof tag === 'string' ? tag.toLowerCase() === language : tag === language
  return text === literal && isSameLanguage && shown === direction && Object.keys(others).length === 0
}

interface TaggedText {
  language: Json | undefined
  direction: Json | undefined
}

/** Whole numbers; the context of data model 2.0 writes their type with https for `statusSize`. */
const WHOLE = new Set<Json | undefined>([`${XSD}integer`, 'https://www.w3.org/2001/XMLSchema#integer'])
const NATIVE = new Set<Json | undefined>([`${XSD}boolean`, `${XSD}double`, ...WHOLE])

/** Tells whether JSON has no other form for the literal: `5` may not be the text "5" of type integer. */
function isOwnForm(literal: Json, type: Json | undefined): boolean {
  if (typeof literal === 'boolean') return type === undefined || type === `${XSD}boolean`
  if (typeof literal === 'number') {
    const isOfType = type === undefined || type === `${XSD}double` || (WHOLE.has(type) && literal % 1 === 0)
    return isOfType && isFaithful(literal)
  }
  if (typeof literal !== 'string') return false
  return type === undefined || (typeof type === 'string' && !NATIVE.has(type) && !type.startsWith(RDF))
}

/** Tells whether the signed 16 digits of a double identify the number. */
export const isFaithful = (number: number): boolean =>
  Number.isInteger(number) ? Number.isSafeInteger(number) : Number(number.toExponential(15)) === number
