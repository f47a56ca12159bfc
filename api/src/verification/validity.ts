import { parseDateTimeStamp } from '../ledger/instant.js'
import { asArray, type Json, type JsonObject, textOf } from '../suites/json.js'
import { type Finding, failed, passed } from './check.js'

/** Clocks differ: the future begins this much later. */
export const AHEAD_MS = 2_000

/** An XML Schema date-time with its zone; anything else would be read differently by different readers. */
export function instantOf(value: Json | undefined): Date | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : parseDateTimeStamp(text)
}

/** In milliseconds; NaN for what is no date, which is neither before nor after anything. */
const timesOf = (values: readonly (Json | undefined)[]): number[] =>
  values.map((value) => instantOf(value)?.getTime() ?? Number.NaN)

/** Whether a credential or a presentation is issued, signed, and not expired at an instant. */
export function validity(document: JsonObject, proofs: readonly JsonObject[], instant: Date): Finding {
  const begins = [document.issuanceDate, document.validFrom].filter((value) => value !== undefined)
  const ends = [document.expirationDate, document.validUntil].filter((value) => value !== undefined)
  const signed = proofs.map(({ created }) => created)
  if (timesOf([...begins, ...ends, ...signed]).some(Number.isNaN))
    return failed('unreadable_date', 'one of its dates is not a date-time with a time zone')
  const now = instant.getTime()
  const isLater = (time: number): boolean => time > now + AHEAD_MS
  const isGood = (end: number): boolean => end > now
  if (timesOf(begins).some(isLater)) return failed('not_yet_valid', `it is valid from ${begins.join(', ')}`)
  if (!timesOf(ends).every(isGood)) return failed('expired', `it expired on ${ends.join(', ')}`)
  if (timesOf(signed).some(isLater)) return failed('signed_later', `it was signed on ${signed.join(', ')}`)
  const proofsEnd = proofs.flatMap(({ expires }) => asArray(expires))
  return timesOf(proofsEnd).every(isGood) ? passed() : failed('expired', 'its proof has expired')
}
