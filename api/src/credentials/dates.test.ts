import { expect, it } from 'vitest'
import { parseDate } from './dates.js'

it.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00.5+02:00', '2026-01-31T12:00:00.5+02:00'],
  ['2026-01-31', '2026-01-31T00:00:00Z'],
  ['2026-01-31T12:00:00', '2026-01-31T12:00:00Z'],
  ['1/31/2026, 1:00:00 PM', '2026-01-31T13:00:00Z'],
  ['Sat, 31 Jan 2026 13:00:00 GMT', '2026-01-31T13:00:00Z'],
])('%s is read as %s', (text, date) => expect(parseDate('d', text)).toBe(date))

it.each(['', 'soon', '2026-13-01T00:00:00Z', '+275000-01-01T00:00:00Z', 'x'.repeat(100)])('%j is no date', (text) => {
  expect(() => parseDate('d', text)).toThrow(/d is not a date/)
})
