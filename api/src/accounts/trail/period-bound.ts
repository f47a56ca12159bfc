import { parseDay, parseInstant } from '../../ledger/read/instant.js'
import { invalid } from '../../platform/errors.js'

const DAY_MS = 86_400_000

/**
 * Reads a bound of a period: an instant with its time zone, or a full date, which begins at its midnight in UTC and ends
 * with its last millisecond.
 *
 * @throws 400 for another text
 */
export function periodBound(text: string, field: string, which: 'first' | 'last'): Date {
  const day = parseDay(text)
  if (day !== undefined) return which === 'first' ? day : new Date(day.getTime() + DAY_MS - 1)
  const instant = parseInstant(text)
  if (instant === undefined) throw invalid(`${field} must be a full date, or an instant with its time zone`, { field })
  return instant
}
