import { parseDateTimeStamp } from '../../../ledger/read/instant.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../../json.js'
import { wrongInResources } from './related-resources.js'

/** The demands of data model 2.0 on documents beyond 1.1. https://www.w3.org/TR/vc-data-model-2.0/ */

const URL_FORM = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/
const isUrl = (value: Json | undefined): boolean => typeof value === 'string' && URL_FORM.test(value)

/** The members that are things of a type of their own, and whether such a thing must have an id. */
const TYPED: readonly (readonly [name: string, needsId: boolean])[] = [
  ['credentialStatus', false],
  ['credentialSchema', true],
  ['refreshService', false],
  ['evidence', false],
  ['termsOfUse', false],
]

/** Returns the fault of a credential of data model 2.0, beside its issuer's. */
export function wrongInCredential2(document: JsonObject): string | undefined {
  const { issuer, credentialSubject, validFrom, validUntil } = document
  const older = ['issuanceDate', 'expirationDate'].find((name) => name in document)
  if (older !== undefined) return `${older} is no member of data model 2.0, which has validFrom and validUntil`
  if (issuer !== undefined && !isUrl(idOf(issuer))) return 'its issuer is no URL'
  const [begin, end] = [instant(validFrom), instant(validUntil)]
  if (begin !== undefined && end !== undefined && end < begin) return 'its validUntil lies before its validFrom'
  for (const subject of asArray(credentialSubject)) {
    if (!isObject(subject) || Object.keys(subject).length === 0) return 'its credentialSubject says nothing'
    if (subject.id !== undefined && !isUrl(subject.id)) return 'the id of its credentialSubject is no URL'
  }
  return (
    wrongInCommon2(document) ??
    wrongInLabels(document, 'its') ??
    (isObject(issuer) ? wrongInLabels(issuer, 'its issuer’s') : undefined) ??
    wrongInResources(document.relatedResource)
  )
}

/** The same of a presentation. */
export function wrongInPresentation2(document: JsonObject): string | undefined {
  const { holder } = document
  if (holder !== undefined && !isUrl(idOf(holder))) return 'its holder is no URL'
  return wrongInCommon2(document)
}

function wrongInCommon2(document: JsonObject): string | undefined {
  const { id } = document
  if (id !== undefined && !isUrl(id)) return 'its id is no URL'
  for (const [name, needsId] of TYPED)
    for (const one of document[name] === undefined ? [] : asArray(document[name])) {
      if (!isObject(one) || !hasType(one)) return `its ${name} has no type`
      if ((needsId || one.id !== undefined) && !isUrl(one.id)) return `the id of its ${name} is no URL`
    }
  return undefined
}

const hasType = ({ type }: JsonObject): boolean => {
  const types = asArray(type)
  return types.length > 0 && types.every((one) => typeof one === 'string' && one !== '')
}

const instant = (value: Json | undefined): Date | undefined => {
  const text = textOf(value)
  return text === undefined ? undefined : parseDateTimeStamp(text)
}

const LABELS = ['name', 'description']

/** A label is a text, a text in a language, or several of these. */
function wrongInLabels(thing: JsonObject, whose: string): string | undefined {
  const wrong = LABELS.find((name) => thing[name] !== undefined && !isLabel(thing[name]))
  return wrong && `${whose} ${wrong} is neither a text nor a text with its @language and @direction`
}

const isLabel = (value: Json | undefined): boolean => {
  const all = asArray(value)
  return all.length > 0 && all.every((one) => typeof one === 'string' || (isObject(one) && isTextInLanguage(one)))
}

/** A language tag by its form (BCP 47). */
const LANGUAGE = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/

function isTextInLanguage(value: JsonObject): boolean {
  const { '@value': text, '@language': language, '@direction': direction, ...others } = value
  return (
    typeof text === 'string' &&
    (language === undefined || (typeof language === 'string' && LANGUAGE.test(language))) &&
    (direction === undefined || direction === 'ltr' || direction === 'rtl') &&
    Object.keys(others).length === 0
  )
}
