import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { mismatches } from './mismatches.js'
import { pointerTo } from './pointer.js'

const told = (schema: Parameters<typeof mismatches>[0], value: unknown) =>
  [...mismatches(schema, value)].map(({ place, message }) => `${pointerTo(place)}: ${message}`)

const Price = Type.Object({
  currency: Type.String({ minLength: 3, maxLength: 3 }),
  digits: Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 4 })]),
})
const Order = Type.Object({
  status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  kind: Type.Optional(Type.Enum(['a', 'b'])),
  prices: Type.Optional(Type.Array(Price, { maxItems: 3 })),
  since: Type.Optional(Type.String({ format: 'date-time' })),
  isOpen: Type.Optional(Type.Boolean()),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  password: Type.Optional(Type.String({ pattern: '^.{8,}$' })),
})

test('names every wrong member, with the value that came and all allowed ones', () => {
  expect(
    told(Order, {
      kind: 'c',
      prices: [{ currency: 'EUR', digits: 1 }, { currency: 'EURO' }, 7],
      since: 'yesterday',
      isOpen: 'yes',
      count: 65,
    }),
  ).toEqual([
    '/status: status is missing: one of active, suspended',
    '/kind: kind must be one of a, b; got "c"',
    '/prices/1/digits: prices[1].digits is missing: a whole number of at least 0, or a text of at most 4 characters',
    '/prices/1/currency: prices[1].currency must be a text of 3 characters; got a text of 4 characters',
    '/prices/2: prices[2] must be an object; got 7',
    '/since: since must be a time with its offset, such as 2026-01-31T12:00:00Z; got "yesterday"',
    '/isOpen: isOpen must be true or false; got "yes"',
    '/count: count must be a whole number from 1 to 64; got 65',
  ])
})

test('says nothing of what is allowed, at each bound', () => {
  for (const count of [1, 64]) expect(told(Order, { status: 'active', count })).toEqual([])
  for (const count of [0, 65]) expect(told(Order, { status: 'active', count })).toHaveLength(1)
  const prices = (length: number) => Array.from({ length }, () => ({ currency: 'EUR', digits: '1' }))
  for (const [length, problems] of [
    [2, 0],
    [3, 0],
    [4, 1],
  ] as const)
    expect(told(Order, { status: 'active', prices: prices(length) })).toHaveLength(problems)
})

test('gives back no secret', () => {
  const [message] = told(Order, { status: 'active', password: 'hunter2' })
  expect(message).toMatch(/^\/password: password must be a text that matches .*; got a text of 7 characters$/)
})

test('a long text is shortened, and a long name', () => {
  const [message = ''] = told(Order, { status: 'x'.repeat(100_000) })
  expect(message.length).toBeLessThan(200)
  const [unknown = ''] = told(Type.Object({}, { additionalProperties: false }), { ['y'.repeat(100_000)]: 1 })
  expect(unknown.slice(unknown.indexOf(': ')).length).toBeLessThan(200)
})

test('the form whose members are there is checked among several', () => {
  const One = Type.Object({ action: Type.String(), params: Type.Object({}) })
  const Many = Type.Object({ actions: Type.Array(One, { minItems: 1 }) })
  expect(told(Type.Union([One, Many]), { actions: [{ action: 7, params: {} }] })).toEqual([
    '/actions/0/action: actions[0].action must be a text; got 7',
  ])
  expect(told(Type.Union([One, Many]), 'x')).toEqual([': The body must be an object; got "x"'])
})

test('maps are looked into by their patterns', () => {
  const Names = Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Type.String({ maxLength: 2 }))
  expect(told(Names, { tr: 'abc', en: 'ab' })).toEqual([
    '/tr: tr must be a text of at most 2 characters; got a text of 3 characters',
  ])
})

test('a list that is too long is checked up to its limit', () => {
  const values = ['x', ...Array.from({ length: 500_000 }, () => 1), 'y']
  expect(told(Type.Array(Type.Integer(), { maxItems: 3 }), values)).toEqual([
    ': The body must be a list of at most 3 items; got a list of 500,002',
    '/0: [0] must be a whole number; got "x"',
  ])
})

test('a reader of only the first of many mismatches pays for no more', () => {
  const values = Array.from({ length: 500_000 }, () => 'x')
  const begun = performance.now()
  const first = mismatches(Type.Array(Price), values).next()
  expect(first.value).toMatchObject({ place: [0] })
  expect(performance.now() - begun).toBeLessThan(500)
})

test('tells of the length of a text first, and of its pattern in words', () => {
  const Reason = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' }) })
  const must = '/reason: reason must be a text of 1 to 1,000 characters that is not blank'
  expect(told(Reason, { reason: 'x'.repeat(5000) })).toEqual([`${must}; got a text of 5,000 characters`])
  expect(told(Reason, { reason: '  ' })).toEqual([`${must}; got "  "`])
  const Address = Type.Object({ address: Type.String({ maxLength: 20, format: 'uri' }) })
  expect(told(Address, { address: 'x'.repeat(21) })).toEqual([
    '/address: address must be an absolute URI of at most 20 characters; got a text of 21 characters',
  ])
})
