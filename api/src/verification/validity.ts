import { type Finding, failed, passed } from '../formats/check.js'
import type { Dates, Proof } from '../formats/credential-format.js'
import { type Json, textOf } from '../formats/json.js'
import { AHEAD_MS, parseDateTimeStamp } from '../ledger/read/instant.js'

/** An XML Schema date-time with its zone; anything else would be read differently by different readers. */
export function instantOf(value: Json | undefined): Date | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : parseDateTimeStamp(text)
}

/** Whether a credential or a presentation is issued, signed, and not expired at an instant. */
export function validity({ begins, ends }: Dates, proofs: readonly Proof[], instant: Date): Finding {
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
    .flatMap(({ expires }) => expires)
    .filter((value) => instantOf(value) === undefined || hasPassed(value))
  return expired.length > 0 ? failed('expired', 'its proof has expired') : passed()
}
