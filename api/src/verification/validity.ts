import { type Finding, failed, passed } from '../formats/check.js'
import type { Dates, Proof } from '../formats/credential-format.js'
import { type Json, textOf } from '../formats/json.js'
import { AHEAD_MS, parseDateTimeStamp } from '../ledger/read/instant.js'

/** Reads an XML Schema date-time with its zone; readers would disagree about anything else. */
export function instantOf(value: Json | undefined): Date | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : parseDateTimeStamp(text)
}

/** Returns milliseconds; NaN for what is no date, which is neither before nor after anything. */
const timesOf = (values: readonly (Json | undefined)[]): number[] =>
  values.map((value) => instantOf(value)?.getTime() ?? Number.NaN)

/** Checks that a credential or a presentation is issued, signed, and not expired at an instant. */
export function validity({ begins, ends }: Dates, proofs: readonly Proof[], instant: Date): Finding {
  // Some kinds of proofs may leave out when they were made.
  const signed = proofs.flatMap(({ created }) => (created === undefined ? [] : [created]))
  if (timesOf([...begins, ...ends, ...signed]).some(Number.isNaN))
    return failed('unreadable_date', 'one of its dates is not a date-time with a time zone')
  const now = instant.getTime()
  const isLater = (time: number): boolean => time > now + AHEAD_MS
  const isGood = (end: number): boolean => end > now
  if (timesOf(begins).some(isLater)) return failed('not_yet_valid', `it is valid from ${begins.join(', ')}`)
  if (!timesOf(ends).every(isGood)) return failed('expired', `it expired on ${ends.join(', ')}`)
  if (timesOf(signed).some(isLater)) return failed('signed_later', `it was signed on ${signed.join(', ')}`)
  const proofsEnd = proofs.flatMap(({ expires }) => expires)
  return timesOf(proofsEnd).every(isGood) ? passed() : failed('expired', 'its proof has expired')
}
