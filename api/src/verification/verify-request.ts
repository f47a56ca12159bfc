import { type Did, parseDid } from '@accredit/chain'
import { type RegistryRef, registryRef } from '../ecosystems/slug.js'
import { invalid } from '../platform/errors.js'
import { isObject, type Json, type JsonObject } from '../suites/json.js'
import { CHECKS } from './check.js'
import { NOTHING_MORE, type Required } from './judgement.js'

export interface VerifyRequest {
  document: string | JsonObject
  /** By its id or its slug. */
  trustRegistry: RegistryRef | undefined
  verifierDID: Did | undefined
  challenge: string | undefined
  domain: string | undefined
  at: string | number | undefined
  /** What must pass beyond what is always required. */
  require: Required
  /** How long ago a status may have been had from its keeper at most. */
  maxStatusAgeSeconds: number | undefined
}

/** Reads the body: a bare document, or one as `data` with questions beside it. */
export function readVerifyRequest(body: unknown): VerifyRequest {
  if (!isObject(body) || !('data' in body) || '@context' in body)
    return { ...NOTHING_ASKED, document: documentOf(body) }
  const registry = textOrNothing('trustRegistryId', body.trustRegistryId)
  const verifierDID = parsed('verifierDID', body.verifierDID, parseDid, 'a DID')
  if (verifierDID !== undefined && registry === undefined)
    throw invalid('verifierDID needs trustRegistryId: permissions are those of a registry')
  return {
    document: documentOf(body.data),
    trustRegistry: registry === undefined ? undefined : registryRef(registry),
    verifierDID,
    challenge: textOrNothing('challenge', body.challenge),
    domain: textOrNothing('domain', body.domain),
    at: typeof body.at === 'number' ? body.at : textOrNothing('at', body.at),
    require: requiredChecks(body.require),
    maxStatusAgeSeconds: secondsOrNothing('maxStatusAgeSeconds', body.maxStatusAgeSeconds),
  }
}

const NOTHING_ASKED = {
  trustRegistry: undefined,
  verifierDID: undefined,
  challenge: undefined,
  domain: undefined,
  at: undefined,
  require: NOTHING_MORE,
  maxStatusAgeSeconds: undefined,
}

function secondsOrNothing(name: string, value: Json | undefined): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid(`${name} must be a whole number of seconds, 0 or more`)
  return value
}

function requiredChecks(value: Json | undefined): Required {
  if (value === undefined) return NOTHING_MORE
  const names = Array.isArray(value) ? value.map((name) => CHECKS.find((check) => check === name)) : []
  const known = names.filter((name) => name !== undefined)
  if (names.length === 0 || known.length < names.length)
    throw invalid(`require must be a list of checks, each one of ${CHECKS.join(', ')}`)
  return new Set(known)
}

function documentOf(value: unknown): string | JsonObject {
  if (typeof value === 'string' && value !== '') return value
  if (isObject(value) && Object.keys(value).length > 0) return value
  throw invalid('Send a credential, a presentation, or one of them as data')
}

function textOrNothing(name: string, value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' || value.length > 512) throw invalid(`${name} must be text`)
  return value
}

function parsed<T>(
  name: string,
  value: Json | undefined,
  parse: (text: string) => T | undefined,
  what: string,
): T | undefined {
  const text = textOrNothing(name, value)
  if (text === undefined) return undefined
  const result = parse(text)
  if (result === undefined) throw invalid(`${name} must be ${what}`)
  return result
}
