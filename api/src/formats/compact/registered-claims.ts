import { parseDateTimeStamp } from '../../ledger/read/instant.js'
import type { Dates } from '../credential-format.js'
import { type Json, type JsonObject, textOf } from '../json.js'
import { malformed } from './jws.js'

/** The seconds of the years 1 to 9999: later and earlier dates have no text. */
const [FIRST, LAST] = [-62_135_596_800, 253_402_300_799]

/**
 * Reads a NumericDate (RFC 7519, section 2) in whole seconds; undefined where there is none.
 * @throws FormatError for anything else
 */
export function numericDate(payload: JsonObject, name: string): number | undefined {
  const value = payload[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < FIRST || value > LAST)
    throw malformed(`its ${name} is not a number of whole seconds`)
  return value
}

export const dateTextOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/** Returns the whole seconds of a date as documents have it; undefined for what is no date. */
export function secondsOf(value: Json | undefined): number | undefined {
  const date = typeof value === 'string' ? parseDateTimeStamp(value) : undefined
  return date && Math.floor(date.getTime() / 1000)
}

/** Returns the dates between which a token claims to be valid. @throws FormatError */
export function datesOfToken(payload: JsonObject): Dates {
  const [begins, ends] = ['nbf', 'exp'].map((name) => {
    const seconds = numericDate(payload, name)
    return seconds === undefined ? [] : [dateTextOf(seconds)]
  })
  return { begins: begins ?? [], ends: ends ?? [] }
}

/** Reads a claim that must be a text; undefined where there is none. @throws FormatError */
export function textClaim(payload: JsonObject, name: string): string | undefined {
  const text = textOf(payload[name])
  if (text === undefined && name in payload) throw malformed(`its ${name} is no text`)
  return text
}

/**
 * Refuses a credential for somebody: whoever is not named has to refuse it, and nobody is named here (RFC 7519, section
 * 4.1.3). @throws FormatError
 */
export function refuseAudience({ aud }: JsonObject): void {
  if (aud !== undefined) throw malformed('a credential for one audience (aud) cannot be checked here')
}
