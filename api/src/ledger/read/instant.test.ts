import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NO_DATES } from '../testing/dates.js'
import { parseDateTimeStamp, parseDay, parseInstant, parseLastingInstant, parsePoint, parseRfc3339 } from './instant.js'

it.each(Object.entries(NO_DATES))('%s is none', (_, text) => {
  for (const parse of [parseDateTimeStamp, parseDay, parseInstant, parsePoint, parseRfc3339])
    expect(parse(text)).toBeUndefined()
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
  ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
])('%s is an instant in every form', (text, instant) => {
  for (const parse of [parseDateTimeStamp, parseInstant, parsePoint, parseRfc3339])
    expect(parse(text)?.toISOString()).toBe(instant)
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

it.each(['9999-12-31T23:59:59.999-00:01', '0001-01-01T00:00:00+00:01'])(
  '%s is an instant, and none to be stored',
  (text) => {
    for (const parse of [parseDateTimeStamp, parseInstant, parsePoint, parseRfc3339])
      expect(parse(text)).toEqual(new Date(text))
    expect(parseLastingInstant(text)).toBeUndefined()
  },
)

it.each(['9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00Z'])('%s is one to be stored', (text) => {
  expect(parseLastingInstant(text)).toEqual(new Date(text))
})

it('RFC 3339 has small letters, and none of the other forms', () => {
  expect(parseRfc3339('2026-01-31t12:00:00.25z')?.toISOString()).toBe('2026-01-31T12:00:00.250Z')
  expect(parseRfc3339('2026-01-31T12:00:00.5z')?.toISOString()).toBe('2026-01-31T12:00:00.500Z')
  for (const text of ['2026-01-31T12:00Z', '2026-01-31T12:00:00,25Z', '2026-01-31T12:00:00+0200'])
    expect(parseRfc3339(text)).toBeUndefined()
})

it('every instant is read as what it is, at every offset and to any fraction', () => {
  const [first, last] = [new Date('0001-01-02T00:00:00Z'), new Date('9999-12-30T00:00:00Z')]
  const instants = fc.date({ min: first, max: last, noInvalidDate: true })
  const two = (number: number) => String(number).padStart(2, '0')
  fc.assert(
    fc.property(
      instants,
      fc.integer({ min: -840, max: 840 }),
      fc.integer({ min: 3, max: 20 }),
      (instant, offset, digits) => {
        const local = new Date(instant.getTime() + offset * 60_000)
          .toISOString()
          .slice(0, -1)
          .padEnd(20 + digits, '9')
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
        for (const parse of [parseDateTimeStamp, parseInstant, parsePoint, parseRfc3339])
          expect(parse(local + zone)).toEqual(instant)
      },
    ),
  )
})

it('64 characters are enough, and no more are read', () => {
  const ofLength = (length: number) => `2026-01-31T12:00:00.5${'0'.repeat(length - 22)}Z`
  for (const parse of [parseDateTimeStamp, parseInstant, parsePoint, parseRfc3339]) {
    expect(parse(ofLength(64))?.toISOString()).toBe('2026-01-31T12:00:00.500Z')
    expect(parse(ofLength(65))).toBeUndefined()
  }
})

it('a full date is its midnight in UTC, and its last millisecond where a point is asked for', () => {
  expect(parseDay('2026-01-31')?.toISOString()).toBe('2026-01-31T00:00:00.000Z')
  expect(parsePoint('2026-01-31')?.toISOString()).toBe('2026-01-31T23:59:59.999Z')
  expect([parseInstant('2026-01-31'), parseDateTimeStamp('2026-01-31')]).toEqual([undefined, undefined])
})

it('only a query may have a space where a plus was', () => {
  expect(parsePoint('2026-01-31T12:00:00 02:00')?.toISOString()).toBe('2026-01-31T10:00:00.000Z')
  expect(parsePoint('2026-01-31T12:00:00 0200')?.toISOString()).toBe('2026-01-31T10:00:00.000Z')
  expect(parsePoint(' 2026-01-31T12:00:00 02:00')).toBeUndefined()
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
