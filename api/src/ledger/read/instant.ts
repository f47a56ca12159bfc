/** Date, `T`, time, then `Z` or an offset. Seconds may be left out, as ISO 8601 lets them. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/
/** The form of `xsd:dateTimeStamp`, which signed documents have. */
const DATE_TIME_STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/
/** The form of RFC 3339, section 5.6. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

const MAX_LENGTH = 64
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** The largest offset of a zone from UTC (XML Schema 1.1, 3.3.7). */
const MAX_OFFSET_MINUTES = 14 * 60

/**
 * Returns the instant that a text of a form names, to the millisecond; undefined when it is not of that form, or its
 * day or time does not exist.
 */
function instantOf(text: string, form: RegExp): Date | undefined {
  const match = text.length > MAX_LENGTH ? null : form.exec(text)
  if (match === null) return undefined
  const day = parseDay(match[1] ?? '')
  if (day === undefined) return undefined
  const number = (group: number): number => Number(match[group] ?? 0)
  const [hour, minute, second, offset] = [number(2), number(3), number(4), number(7) * 60 + number(8)]
  const exists = hour < 24 && minute < 60 && second < 60 && number(8) < 60 && offset <= MAX_OFFSET_MINUTES
  if (!exists) return undefined
  const milliseconds = Number((match[5] ?? '').slice(0, 3).padEnd(3, '0'))
  const local = day.getTime() + (hour * 60 + minute) * MINUTE_MS + second * 1000 + milliseconds
  return new Date(local - (match[6] === '-' ? -offset : offset) * MINUTE_MS)
}

/**
 * Reads an ISO 8601 instant with its time zone, to the millisecond; undefined when it is none, or its day or time does
 * not exist. Forms in which RFC 3339 and XML Schema differ (hour 24, second 60, year 0, offsets beyond 14 hours) are
 * refused.
 */
export const parseInstant = (text: string): Date | undefined => instantOf(text, ISO_8601)

/** Reads an instant that is to be stored and answered in UTC: its year has four digits there, too. */
export function parseLastingInstant(text: string): Date | undefined {
  const instant = parseInstant(text)
  const year = instant?.getUTCFullYear() ?? 0
  return year >= 1 && year <= 9999 ? instant : undefined
}

/** Reads a full date as its midnight in UTC. */
export function parseDay(text: string): Date | undefined {
  const date = new Date(`${text}T00:00:00Z`)
  // The parser makes no date of a day that does not exist, or the next one that exists.
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
  return exists && date.getUTCFullYear() > 0 ? date : undefined
}

/** Reads an instant as a query has it: a `+` that was not encoded arrives as a space. */
export const parseSentInstant = (text: string): Date | undefined => parseInstant(text.replace(' ', '+'))

/** Returns the instant that a query means; for a full date, its last millisecond. */
export function parsePoint(text: string): Date | undefined {
  const day = parseDay(text)
  return day === undefined ? parseSentInstant(text) : new Date(day.getTime() + DAY_MS - 1)
}

/** Writes an instant in the one form that signed documents have (`xsd:dateTimeStamp`). */
export const parseDateTimeStamp = (text: string): Date | undefined => instantOf(text, DATE_TIME_STAMP)

/** Writes an instant in the form of RFC 3339, which protocols demand. */
export const parseRfc3339 = (text: string): Date | undefined => instantOf(text, RFC_3339)

/** The tolerance for clocks that differ: the future begins this much later. */
export const AHEAD_MS = 2_000
