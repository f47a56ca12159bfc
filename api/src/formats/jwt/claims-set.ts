import { malformed } from '../compact/jws.js'
import { dateTextOf, numericDate, refuseAudience, secondsOf, textClaim } from '../compact/registered-claims.js'
import { isObject, type Json, type JsonObject } from '../json.js'

/**
 * Returns the credential that the claims of a token mean, in W3C's names: members of `vc`, completed by the registered
 * claims (data model 1.1, section 6.3.1).
 * @throws FormatError where a registered claim says something else than the member that it stands for
 */
export function credentialOf(payload: JsonObject): JsonObject {
  const isPayload = isWhole(payload)
  const document = isPayload ? withoutRegistered(payload) : { ...objectIn(payload, 'vc') }
  refuseProof(document)
  refuseAudience(payload)
  if (!isPayload) refuseBeside(payload)
  const issuer = isPayload ? document.issuer : issuerOf(document, payload)
  put(document, 'issuer', withId(issuer, payload, 'iss'))
  put(document, 'id', sameText(document.id, payload, 'jti'))
  put(document, 'credentialSubject', subjectOf(document.credentialSubject, payload))
  // Those of a payload that is the credential are about the signature.
  if (isPayload) return document
  putDate(document, 'issuanceDate', 'validFrom', payload, 'nbf')
  putDate(document, 'expirationDate', 'validUntil', payload, 'exp')
  return document
}

/** Returns the presentation that the claims of a token mean: members of `vp`, with its holder and id. @throws FormatError */
export function presentationOf(payload: JsonObject): JsonObject {
  const document = isWhole(payload) ? withoutRegistered(payload) : { ...objectIn(payload, 'vp') }
  refuseProof(document)
  put(document, 'holder', withId(document.holder, payload, 'iss'))
  put(document, 'id', sameText(document.id, payload, 'jti'))
  return document
}

/** Tells whether the payload is the document itself (data model 2.0, VC-JOSE-COSE). */
export const isWhole = (payload: JsonObject): boolean => '@context' in payload && !('vc' in payload || 'vp' in payload)

const REGISTERED = new Set(['iss', 'sub', 'jti', 'iat', 'nbf', 'exp', 'aud', 'nonce', 'cnf', 'status'])

/** Tells whether a payload has no room for a member of a credential under this name. */
export const isRegistered = (name: string): boolean => REGISTERED.has(name) || name === 'vc' || name === 'vp'

const withoutRegistered = (payload: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !REGISTERED.has(name)))

function objectIn(payload: JsonObject, name: string): JsonObject {
  const value = payload[name]
  if (!isObject(value)) throw malformed(`its ${name} is no object`)
  return value
}

/** A proof inside would be shown, and no check would read it. */
function refuseProof(document: JsonObject): void {
  if ('proof' in document) throw malformed('a token has its signature, and no proof inside')
}

/** Members that are looked at inside `vc`: beside it they would be signed, and count for nothing. */
const OF_CREDENTIAL = [
  'credentialSubject',
  'credentialStatus',
  'credentialSchema',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'previousCredentialId',
]

function refuseBeside(payload: JsonObject): void {
  const beside = OF_CREDENTIAL.find((name) => name in payload)
  if (beside !== undefined) throw standsBeside(beside)
}

const standsBeside = (name: string) => malformed(`its ${name} stands beside vc, where nobody looks`)

/**
 * Returns the issuer that stands inside, or what describes the one of `iss`: did-jwt-vc leaves it beside `vc` when it
 * moves the id to `iss`.
 */
function issuerOf({ issuer }: JsonObject, { issuer: beside, iss }: JsonObject): Json | undefined {
  if (beside === undefined) return issuer
  if (!isObject(beside) || issuer !== undefined || iss === undefined) throw standsBeside('issuer')
  return beside
}

function put(document: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined) document[name] = value
}

function sameText(member: Json | undefined, payload: JsonObject, name: string): Json | undefined {
  const claim = textClaim(payload, name)
  if (claim !== undefined && member !== undefined && member !== claim) throw contradicts(name)
  return claim ?? member
}

/** Returns a text or object with the id that a claim tells. */
function withId(member: Json | undefined, payload: JsonObject, name: string): Json | undefined {
  if (!isObject(member)) return sameText(member, payload, name)
  const id = sameText(member.id, payload, name)
  return id === undefined ? member : { ...member, id }
}

function subjectOf(member: Json | undefined, payload: JsonObject): Json | undefined {
  const sub = textClaim(payload, 'sub')
  if (sub === undefined) return member
  const [only, ...others] = Array.isArray(member) ? member : [member ?? {}]
  if (others.length > 0 || !isObject(only)) throw contradicts('sub')
  const subject = withId(only, payload, 'sub') ?? {}
  return Array.isArray(member) ? [subject] : subject
}

/** Completes a date; those that the document has are in the same second. */
function putDate(document: JsonObject, name: string, newer: string, payload: JsonObject, claim: string): void {
  const seconds = numericDate(payload, claim)
  if (seconds === undefined) return
  const given = [name, newer].filter((one) => document[one] !== undefined)
  if (given.some((one) => secondsOf(document[one]) !== seconds)) throw contradicts(claim)
  if (given.length === 0) document[name] = dateTextOf(seconds)
}

const contradicts = (claim: string) => malformed(`its ${claim} contradicts what stands inside`)
