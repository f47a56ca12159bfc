import { expect, it } from 'vitest'
import { NO_DATES } from '../../ledger/testing/dates.js'
import { parseDate, refuseEndBeforeBegin } from './dates.js'

it.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00.5+02:00', '2026-01-31T12:00:00.5+02:00'],
  ['2026-01-31', '2026-01-31T00:00:00Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00,250+0200', '2026-01-31T10:00:00.250Z'],
])('%s is signed as %s', (text, date) => expect(parseDate('d', text)).toBe(date))

it.each([
  ...Object.entries(NO_DATES),
  ['', ''],
  ['past the year 9999', '9999-12-31T23:59-01:00'],
  ['past the year 9999, as XML Schema has it', '9999-12-31T23:59:59-01:00'],
])('%s is no date', (_, text) => {
  expect(() => parseDate('d', text)).toThrow(/^d must be an ISO 8601/)
})

it('a credential may end when it begins, whatever the zones, and not a millisecond earlier', () => {
  const end = (expirationDate: string) =>
    refuseEndBeforeBegin({ issuanceDate: '2026-01-01T12:00:00Z', validFrom: undefined }, { expirationDate })
  expect(() => end('2026-01-01T14:00:00+02:00')).not.toThrow()
  expect(() => end('2026-01-01T13:59:59.999+02:00')).toThrow(/expirationDate .* lies before credential.issuanceDate/)
})
