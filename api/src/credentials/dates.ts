import { toSeconds } from '../platform/clock.js'
import { invalid } from '../platform/errors.js'

const XSD_DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/**
 * A date as callers write it. What is a W3C date-time stays as it is; what else can be read (`1/31/2026, 1:00:00 PM`)
 * becomes one, taken as UTC.
 */
export function parseDate(name: string, text: string): string {
  if (XSD_DATE_TIME.test(text) && !Number.isNaN(Date.parse(text))) return text
  const date = new Date(text.length > 64 ? Number.NaN : Date.parse(withZone(text)))
  const year = date.getUTCFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9999) throw invalid(`${name} is not a date: ${text.slice(0, 64)}`)
  return toSeconds(date)
}

function withZone(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) || /[zZ]$|[+-]\d\d:?\d\d$|GMT|UTC/.test(text)) return text
  return /^\d{4}-\d\d-\d\dT/.test(text) ? `${text}Z` : `${text} UTC`
}
