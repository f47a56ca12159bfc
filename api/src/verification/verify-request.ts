import type { Did } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { namedDid } from '../dids/did-param.js'
import { type RegistryRef, registryRef } from '../ecosystems/registries/slug.js'
import { CHECKS } from '../formats/check.js'
import { isObject, type JsonObject } from '../formats/json.js'
import { AtBody } from '../ledger/read/at.js'
import { invalid } from '../platform/errors.js'
import { refusalOf } from '../platform/http/problems.js'
import { NOTHING_MORE, type Required } from './judgement.js'

const question = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }))

/** The questions beside a document. A new question is a member here, and nowhere else. */
const Questions = {
  trustRegistryId: question('The id or slug of the trust registry that must authorise the issuer'),
  verifierDID: question('The DID that asks; needs trustRegistryId, whose permissions count'),
  challenge: question('The challenge that the presentation must answer'),
  domain: question('The domain that the presentation must be for'),
  at: AtBody,
  require: Type.Optional(
    Type.Unknown({ description: `Checks that must pass beyond what is always required: ${CHECKS.join(', ')}` }),
  ),
  maxStatusAgeSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The greatest age of a status: the time since it was had from its keeper',
    }),
  ),
}

const Wrapper = Type.Object({
  data: Type.Unknown({ description: 'A credential or presentation, as an object or a compact token' }),
  ...Questions,
})

const Bare = Type.Union([Type.String({ maxLength: 1_000_000 }), Type.Object({}, { additionalProperties: true })], {
  description: 'A credential or presentation',
})

/** A wrapper has `data` and no `@context`; anything else is the document itself. */
export const VerifyBody = Type.Unsafe<unknown>({
  description:
    'A credential or presentation, or { data, trustRegistryId?, verifierDID?, challenge?, domain?, at?, require?, maxStatusAgeSeconds? } with it as data',
  if: Type.Object(
    { data: Type.Unknown({ description: 'The document, in a wrapper' }) },
    { not: { required: ['@context'] } },
  ),
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema names it so
  then: Wrapper,
  else: Bare,
})

export interface VerifyRequest {
  document: string | JsonObject
  /** The id or the slug of a registry. */
  trustRegistry: RegistryRef | undefined
  verifierDID: Did | undefined
  challenge: string | undefined
  domain: string | undefined
  at: string | number | undefined
  /** The checks that must pass beyond those always required. */
  require: Required
  /** The greatest age of a status from its keeper. */
  maxStatusAgeSeconds: number | undefined
}

/** Reads the body: a bare document, or one as `data` with questions beside it. */
export function readVerifyRequest(body: unknown): VerifyRequest {
  if (!isWrapper(body)) return { ...NOTHING_ASKED, document: bareDocument(body) }
  const { trustRegistryId, verifierDID, challenge, domain, at, require, maxStatusAgeSeconds } = body
  if (verifierDID !== undefined && trustRegistryId === undefined)
    throw invalid('verifierDID needs trustRegistryId: permissions are those of a registry')
  return {
    document: documentOf(body.data),
    trustRegistry: trustRegistryId === undefined ? undefined : registryRef(trustRegistryId),
    verifierDID: verifierDID === undefined ? undefined : namedDid(verifierDID, 'verifierDID'),
    challenge,
    domain,
    at,
    require: requiredChecks(require),
    maxStatusAgeSeconds,
  }
}

/** Its members have been checked against the schema. */
const isWrapper = (body: unknown): body is Static<typeof Wrapper> =>
  isObject(body) && 'data' in body && !('@context' in body)

export const NOTHING_ASKED = {
  trustRegistry: undefined,
  verifierDID: undefined,
  challenge: undefined,
  domain: undefined,
  at: undefined,
  require: NOTHING_MORE,
  maxStatusAgeSeconds: undefined,
}

function requiredChecks(value: unknown): Required {
  if (value === undefined) return NOTHING_MORE
  const names = Array.isArray(value) ? value.map((name) => CHECKS.find((check) => check === name)) : []
  const known = names.filter((name) => name !== undefined)
  if (names.length === 0 || known.length < names.length)
    throw invalid(`require must be a list of checks, each one of ${CHECKS.join(', ')}`)
  return new Set(known)
}

/** A question inside the document would count as a claim, and never be answered. */
function bareDocument(body: unknown): string | JsonObject {
  const asked = isObject(body) ? Object.keys(Questions).filter((name) => name in body) : []
  const message = (name: string) => `${name} is no member of a document: send { data: <the document>, ${name} }`
  if (asked.length > 0)
    throw refusalOf(asked.map((name) => ({ path: `/${name}`, message: message(name), isUnknown: true })))
  return documentOf(body)
}

function documentOf(value: unknown): string | JsonObject {
  if (typeof value === 'string' && value !== '') return value
  if (isObject(value) && Object.keys(value).length > 0) return value
  throw invalid('Send a credential, a presentation, or one of them as data')
}
