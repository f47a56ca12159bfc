import { parseJson } from '../../platform/http/input/json.js'
import { type Finding, failed, unavailable } from '../check.js'
import type { Claims, NeededKey } from '../credential-format.js'
import { asArray, isObject, type Json, type JsonObject, quoted, textOf } from '../json.js'
import { wrongInCredential } from '../json-ld/canonical/credential-form.js'
import { claimsOf } from '../json-ld/document-claims.js'
import { neededKey, withSchema } from './proof-findings.js'
import { countLeaves, differenceFrom, MOST_MESSAGES, type ReadSchema, readSchema } from './read-schema.js'
import { SCHEMES } from './schemes.js'
import { CRYPTO_VERSIONS } from './signed-form.js'

/** The part of one credential that a holder shows. */
export interface Presented {
  readonly claims: Claims
  readonly key: NeededKey
  /** The ends that the issuer set to its proof. */
  readonly expires: readonly Json[]
  readonly derivedType: string
}

const MEMBERS = ['version', 'schema', 'revealedAttributes', 'sigType', 'status']

const ACCUMULATOR = 'DockVBAccumulator2022'

/** The members of a status that a holder proves: that of the time is its own word. */
const STATUS_MEMBERS = ['id', 'type', 'revocationCheck', 'accumulated', 'extra']

/** The longest value of an accumulator, in base58, whose decoding takes the square of its length: 48 bytes need less. */
const MOST_OF_VALUE = 128

/** The members that show how long a credential is good: who hid one of them could use it for ever. */
const NEVER_HIDDEN = ['expirationDate', 'validFrom', 'validUntil']

/** Reads one credential of a presentation in the library's form; what it shows is not proven yet. */
export function readPresented(given: Json): Presented | Finding {
  if (!isObject(given)) return failed('malformed', 'a presented credential is no object')
  const predicate = Object.keys(given).find((name) => !MEMBERS.includes(name))
  if (predicate !== undefined)
    return unavailable(`${predicate.slice(0, 64)} of a presented credential cannot be checked here`)
  const { version = null, revealedAttributes: shown, sigType, status } = given
  const scheme = SCHEMES.find(({ proofType }) => proofType === sigType)
  if (scheme === undefined)
    return failed('unsupported_proof', `signatures of type ${quoted(sigType)} cannot be checked`)
  if (!CRYPTO_VERSIONS.includes(version)) return failed('malformed', 'the version of a credential is not known')
  if (!isObject(shown)) return failed('malformed', 'a presented credential shows nothing')
  const read = readSchema(given.schema)
  if (typeof read === 'string') return failed('malformed', read)
  const { schema } = read
  if (countLeaves(schema) > MOST_MESSAGES)
    return failed('too_large', `a credential has more than ${MOST_MESSAGES} members and items`)
  const wrong = unsignedIn(read, shown) ?? hiddenIn(read, shown) ?? statusWrong(read, shown, status)
  if (wrong !== undefined) return wrong
  const document = documentOf(shown, given.schema ?? null, status)
  const malformed = wrongInCredential({ credentialSubject: {}, issuanceDate: '', ...document })
  if (malformed !== undefined) return failed('malformed', malformed)
  const proof = isObject(shown.proof) ? shown.proof : {}
  const id = textOf(proof.verificationMethod)
  if (proof.type !== scheme.proofType || id === undefined)
    return failed('malformed', 'it does not show which key signed, with which scheme')
  const claims = withSchema(claimsOf(document), read)
  return {
    claims: {
      ...claims,
      isDerived: true,
      hidesClaims: hidesClaims(read, shown),
      previous: previousOf(read, shown),
      subject: claims.subject ?? {},
    },
    key: { ...neededKey(id, scheme), signedAt: textOf(proof.created) ?? HIDDEN },
    expires: asArray(proof.expires),
    derivedType: scheme.derivedType,
  }
}

/** The time of a signature that its holder does not show: it is no time. */
const HIDDEN = 'hidden'

function unsignedIn({ schema }: ReadSchema, shown: JsonObject): Finding | undefined {
  const different = differenceFrom(schema, shown, true)
  return different === undefined ? undefined : failed('unsigned_member', different)
}

function hiddenIn({ schema: { properties } }: ReadSchema, shown: JsonObject): Finding | undefined {
  const { proof } = properties
  const hidden = NEVER_HIDDEN.find((name) => name in properties && !(name in shown))
  const isEndHidden =
    proof?.type === 'object' && 'expires' in proof.properties && !(isObject(shown.proof) && 'expires' in shown.proof)
  if (hidden === undefined && !isEndHidden) return undefined
  return failed(
    'hidden_claim',
    `${hidden ?? 'expires of its proof'} is hidden, so that nobody can tell whether it is valid`,
  )
}

/** Tells whether the holder left out anything of the subject. */
function hidesClaims({ schema: { properties } }: ReadSchema, { credentialSubject = {} }: JsonObject): boolean {
  const { credentialSubject: signed } = properties
  return signed === undefined || differenceFrom(signed, credentialSubject, false) !== undefined
}

/** A credential with a status has to prove it. The library takes the status from its own member, and no other. */
function statusWrong({ schema }: ReadSchema, shown: JsonObject, status: Json | undefined): Finding | undefined {
  if ('credentialStatus' in shown) return failed('unsigned_member', 'a status among the shown claims is not covered')
  if ('credentialStatus' in schema.properties !== (status !== undefined))
    return failed('malformed', 'it has a status and proves none, or the other way round')
  if (status === undefined) return undefined
  if (!isObject(status)) return failed('malformed', 'its status is no object')
  const other = Object.keys(status).find((name) => !STATUS_MEMBERS.includes(name))
  if (other !== undefined) return failed('unsigned_member', `${other.slice(0, 64)} of its status is not covered`)
  if ((textOf(status.accumulated) ?? '').length > MOST_OF_VALUE)
    return failed('too_large', `the value of its accumulator has more than ${MOST_OF_VALUE} characters`)
  if (status.type === ACCUMULATOR && status.revocationCheck === 'membership') return undefined
  return unavailable('a proof of a status is checked here where it is of membership in a DockVBAccumulator2022')
}

function documentOf(shown: JsonObject, credentialSchema: Json, status: Json | undefined): JsonObject {
  return {
    ...shown,
    '@context': parsed(shown['@context']),
    type: parsed(shown.type),
    credentialSchema,
    ...(status !== undefined && { credentialStatus: status }),
  }
}

/** The value of a member that is signed as a text. */
function parsed(text: Json | undefined): Json {
  try {
    return parseJson(textOf(text) ?? '')
  } catch {
    return null
  }
}

/** A hidden link of a chain of delegation is one nevertheless. */
const previousOf = ({ schema }: ReadSchema, shown: JsonObject): Json | undefined =>
  'previousCredentialId' in schema.properties ? (shown.previousCredentialId ?? null) : undefined
