import { parseDateTimeStamp, parseDay, parseLastingInstant } from '../../ledger/read/instant.js'
import { invalid } from '../../platform/errors.js'
import { toSeconds } from '../../platform/process/clock.js'

/**
 * Returns a date as it will be signed. A date-time of XML Schema stays as it is; other forms of ISO 8601 with a time
 * zone are turned into one, and a full date into its midnight in UTC.
 * @throws 400 for anything else, and for dates that do not exist
 */
export function parseDate(name: string, text: string): string {
  const stamp = dateStamp(text)
  if (stamp === undefined)
    throw invalid(
      `${name} must be an ISO 8601 date-time with its time zone (2026-01-31T12:00:00Z) or a full date (2026-01-31), and exist`,
    )
  return stamp
}

/** Returns the date as it will be signed; undefined for anything else. */
export function dateStamp(text: string): string | undefined {
  const date = parseDay(text) ?? parseLastingInstant(text)
  if (date === undefined) return undefined
  if (parseDateTimeStamp(text)) return text
  return date.getUTCMilliseconds() === 0 ? toSeconds(date) : date.toISOString()
}

/** @throws 400 where an end lies before a beginning; both may be equal */
export function refuseEndBeforeBegin(begins: Dates, ends: Dates): void {
  for (const [beginName, begin] of Object.entries(begins))
    for (const [endName, end] of Object.entries(ends))
      if (begin !== undefined && end !== undefined && instantOf(end) < instantOf(begin))
        throw invalid(`credential.${endName} (${end}) lies before credential.${beginName} (${begin})`)
}

/** The dates by the names of their members. */
type Dates = Record<string, string | undefined>

const instantOf = (stamp: string): number => parseDateTimeStamp(stamp)?.getTime() ?? Number.NaN
