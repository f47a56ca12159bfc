import { pointerTo } from '../../platform/http/input/pointer.js'
import { base64UrlOf } from '../compact/base64url.js'
import { malformed, unsignedJws } from '../compact/jws.js'
import { secondsOf } from '../compact/registered-claims.js'
import type { CredentialParts, Draft, FormatTools, SignedParts } from '../credential-format.js'
import { asArray, isObject, type Json, type JsonObject } from '../json.js'
import { CREDENTIALS_V1 } from '../json-ld/contexts/known-contexts.js'
import { countClaims } from '../json-ld/limits.js'
import { NOT_OF_SUBJECT } from './claim-names.js'
import { digestNamed, RESERVED } from './disclosures.js'
import { claimsOf } from './recognise-token.js'

const HASH = 'sha-256'
const SALT_BYTES = 16
const GENERIC = 'VerifiableCredential'
const digest = digestNamed(HASH)

/** Members of a request, beside those of every format, that a token has a place for. */
const WRITTEN = ['vct', 'vct#integrity', 'cnf', 'rootCredentialId', 'previousCredentialId'] as const
const DATES = ['validFrom', 'validUntil']

/** Writes a credential as a token of a type, with a disclosure of each claim. @throws FormatError */
export const buildToken =
  (typ: string) =>
  (parts: SignedParts): Draft => {
    const about = openClaims(parts)
    refuseReserved(about)
    const subject = subjectOf(parts)
    return {
      claims: claimsOf({ claims: { ...about, ...subject }, isPartial: false }),
      leftOut: [],
      unwritten: unwrittenOf(parts),
      async toSign({ random }) {
        const { members, disclosures } = hidden(subject, parts.schema?.document, random)
        const header = { alg: 'EdDSA', typ, kid: parts.verificationMethod }
        const { message, finish } = unsignedJws(header, { ...about, ...members, _sd_alg: HASH })
        return {
          messages: [message],
          finish: async ([signature]) => `${[finish(signature), ...disclosures].join('~')}~`,
        }
      },
    }
  }

/** The claims about the token, which no holder can leave out. */
function openClaims(parts: SignedParts): JsonObject {
  const { id, issuer, schema, others, statuses, issuanceDate, expirationDate, created } = parts
  const begins = secondsIn(Math.max, issuanceDate, others.validFrom)
  const ends = secondsIn(Math.min, expirationDate, others.validUntil)
  const iat = secondsOf(created)
  const given = WRITTEN.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]] as const]))
  return {
    ...(issuer && { iss: issuer.did }),
    ...(iat !== undefined && { iat }),
    ...(begins !== undefined && { nbf: begins }),
    ...(ends !== undefined && { exp: ends }),
    vct: ownTypes(parts).at(-1) ?? schema?.id ?? GENERIC,
    ...Object.fromEntries(given),
    jti: id,
    ...(schema && { credentialSchema: { id: schema.id, type: schema.type } }),
    ...statusClaims(statuses),
  }
}

/** Entries in the form of W3C's data model have no place in `status`, which is of JWTs. */
function statusClaims(statuses: readonly JsonObject[]): JsonObject {
  const [status, ...more] = statuses.filter((entry) => 'status_list' in entry)
  if (more.length > 0) throw malformed('a token has its status in one list')
  const others = statuses.filter((entry) => !('status_list' in entry))
  return { ...(status && { status }), ...(others.length > 0 && { credentialStatus: others }) }
}

const ownTypes = ({ types }: CredentialParts): string[] => types.filter((type) => type !== GENERIC)

function secondsIn(choose: (...all: number[]) => number, ...dates: (Json | undefined)[]): number | undefined {
  const seconds = dates.map(secondsOf).filter((one) => one !== undefined)
  return seconds.length > 0 ? choose(...seconds) : undefined
}

/** The claims about the subject, under the names that they have in a token. */
function subjectOf({ subject: given }: CredentialParts): JsonObject {
  const [subject, ...others] = asArray(given)
  if (!isObject(subject) || others.length > 0) throw malformed('a token is about one subject')
  const { id, ...claims } = subject
  if (id !== undefined && typeof id !== 'string') throw malformed('the id of its subject is no text')
  const taken = Object.keys(claims).find((name) => NOT_OF_SUBJECT.has(name))
  if (taken !== undefined) throw malformed(`a claim of the subject cannot be named ${taken} in this format`)
  refuseReserved(claims)
  return { ...(id !== undefined && { sub: id }), ...claims }
}

function refuseReserved(value: Json): void {
  if (Array.isArray(value)) for (const item of value) refuseReserved(item)
  if (!isObject(value)) return
  const reserved = RESERVED.find((name) => name in value)
  if (reserved !== undefined) throw malformed(`a claim cannot be named ${reserved} in this format`)
  for (const member of Object.values(value)) refuseReserved(member)
}

/** Members that have no place in a token. */
function unwrittenOf(parts: CredentialParts): string[] {
  const { others, issuer, contexts } = parts
  const known: readonly string[] = [...WRITTEN, ...DATES]
  const ofIssuer = Object.keys(issuer?.members ?? {}).filter((name) => name !== 'id')
  const hasContext = contexts.some((one) => one !== CREDENTIALS_V1)
  return [
    ...Object.keys(others).flatMap((name) => (known.includes(name) ? [] : [pointerTo(['credential', name])])),
    ...ofIssuer.map((name) => pointerTo(['credential', 'issuer', name])),
    ...(ownTypes(parts).length > 1 ? [pointerTo(['credential', 'type'])] : []),
    ...(hasContext ? [pointerTo(['credential', '@context'])] : []),
  ]
}

/**
 * Puts a digest in the place of each claim that a holder may leave out: every member of the subject and of the objects
 * in it, but its id and what the schema marks with `"sd": "never"`. Items of lists are shown or hidden together.
 */
function hidden(subject: JsonObject, schema: unknown, random: FormatTools['random']) {
  const disclosures: string[] = []
  // One call for all salts: the source of randomness takes as long for one as for a hundred.
  const salts = random(SALT_BYTES * countClaims(subject))
  const disclose = (name: string, value: Json): string => {
    const begin = SALT_BYTES * disclosures.length
    const salt = base64UrlOf(salts.subarray(begin, begin + SALT_BYTES))
    const text = base64UrlOf(JSON.stringify([salt, name, value]))
    disclosures.push(text)
    return digest(text)
  }
  const membersOf = (value: JsonObject, schemaOfValue: unknown): JsonObject => {
    const open: JsonObject = {}
    const digests: string[] = []
    for (const [name, member] of Object.entries(value)) {
      const property = propertyOf(schemaOfValue, name)
      const inner = isObject(member) ? membersOf(member, property) : member
      if (property.sd === 'never') open[name] = inner
      else digests.push(disclose(name, inner))
    }
    // Their order would tell the order of the claims.
    return { ...open, ...(digests.length > 0 && { _sd: digests.sort() }) }
  }
  const { sub, ...claims } = subject
  return { members: { ...(sub !== undefined && { sub }), ...membersOf(claims, schema) }, disclosures }
}

function propertyOf(schema: unknown, name: string): { readonly sd?: unknown } {
  const properties = isObject(schema) ? schema.properties : undefined
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(property) ? property : {}
}
