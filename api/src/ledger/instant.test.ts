import { expect, it } from 'vitest'
import { NO_DATES } from './dates.testing.js'
import { parseDateTimeStamp, parseDay, parseInstant, parsePoint, parseRfc3339 } from './instant.js'

it.each(Object.entries(NO_DATES))('%s is none', (_, text) => {
  for (const parse of [parseDateTimeStamp, parseDay, parseInstant, parsePoint]) expect(parse(text)).toBeUndefined()
})

it.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5+02:00', '2026-01-31T10:00:00.500Z'],
  ['2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00+14:00', '2026-01-30T22:00:00.000Z'],
  ['2026-01-31T12:00:00-14:00', '2026-02-01T02:00:00.000Z'],
  ['2024-02-29T23:59:59.9999999999Z', '2024-02-29T23:59:59.999Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  [`2026-01-31T12:00:00.${'0'.repeat(43)}Z`, '2026-01-31T12:00:00.000Z'],
  ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
])('%s is an instant in every form', (text, instant) => {
  for (const parse of [parseDateTimeStamp, parseInstant, parsePoint]) expect(parse(text)?.toISOString()).toBe(instant)
})

it.each([
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00,25Z', '2026-01-31T12:00:00.250Z'],
  ['2026-01-31T12:00:00+0200', '2026-01-31T10:00:00.000Z'],
])('%s is an instant, and not in the form of signed documents', (text, instant) => {
  expect(parseInstant(text)?.toISOString()).toBe(instant)
  expect(parseDateTimeStamp(text)).toBeUndefined()
})

it('a full date is its midnight in UTC, and its last millisecond where a point is asked for', () => {
  expect(parseDay('2026-01-31')?.toISOString()).toBe('2026-01-31T00:00:00.000Z')
  expect(parsePoint('2026-01-31')?.toISOString()).toBe('2026-01-31T23:59:59.999Z')
  expect([parseInstant('2026-01-31'), parseDateTimeStamp('2026-01-31')]).toEqual([undefined, undefined])
})

it('only a query may have a space where a plus was', () => {
  expect(parsePoint('2026-01-31T12:00:00 02:00')?.toISOString()).toBe('2026-01-31T10:00:00.000Z')
  expect(parseInstant('2026-01-31T12:00:00 02:00')).toBeUndefined()
})

it.each([
  ['2026-01-31T12:00:00 02:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T12:00:00 0200', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31', '2026-01-31T23:59:59.999Z'],
])('the point %s of a query is %s', (text, instant) => {
  expect(parsePoint(text)?.toISOString()).toBe(instant)
  expect(parsePoint(`${text} x`)).toBeUndefined()
})

it('of RFC 3339 letters may be small, and nothing may be left out', () => {
  for (const text of ['2026-01-31T12:00:00Z', '2026-01-31t12:00:00z', '2026-01-31T13:30:00.000+01:30'])
    expect(parseRfc3339(text)?.toISOString()).toBe('2026-01-31T12:00:00.000Z')
  const others = ['2026-01-31T12:00Z', '2026-01-31T12:00:00,5Z', '2026-01-31T12:00:00+0200', ...Object.values(NO_DATES)]
  for (const text of others) expect(parseRfc3339(text)).toBeUndefined()
})
