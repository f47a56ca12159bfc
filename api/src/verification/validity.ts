import { asArray, type Json, type JsonObject, textOf } from '../formats/json.js'
import { parseDateTimeStamp } from '../ledger/read/instant.js'
import { type Finding, failed, passed } from './check.js'

/** Clocks differ: the future begins this much later. */
export const AHEAD_MS = 2_000

/** An XML Schema date-time with its zone; anything else would be read differently by different readers. */
export function instantOf(value: Json | undefined): Date | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : parseDateTimeStamp(text)
}

/** Whether a credential or a presentation is issued, signed, and not expired at an instant. */
export function validity(document: JsonObject, proofs: readonly JsonObject[], instant: Date): Finding {
  const begins = [document.issuanceDate, document.validFrom].filter((value) => value !== undefined)
  const ends = [document.expirationDate, document.validUntil].filter((value) => value !== undefined)
  const signed = proofs.map(({ created }) => created)
  const dates = [...begins, ...ends, ...signed]
  if (dates.some((value) => instantOf(value) === undefined))
    return failed('unreadable_date', 'one of its dates is not a date-time with a time zone')
  const latest = instant.getTime() + AHEAD_MS
  const isLater = (value: Json | undefined): boolean =>
    (instantOf(value)?.getTime() ?? Number.POSITIVE_INFINITY) > latest
  const hasPassed = (value: Json | undefined): boolean => (instantOf(value)?.getTime() ?? 0) <= instant.getTime()
  if (begins.some(isLater)) return failed('not_yet_valid', `it is valid from ${begins.join(', ')}`)
  if (ends.some(hasPassed)) return failed('expired', `it expired on ${ends.join(', ')}`)
  if (signed.some(isLater)) return failed('signed_later', `it was signed on ${signed.join(', ')}`)
  const expired = proofs
    .flatMap(({ expires }) => asArray(expires))
    .filter((value) => instantOf(value) === undefined || hasPassed(value))
  return expired.length > 0 ? failed('expired', 'its proof has expired') : passed()
}
