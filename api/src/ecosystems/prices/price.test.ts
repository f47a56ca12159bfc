import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDigits, requireFee } from './price.js'

const MAX = 2n ** 128n - 1n

test('every whole number that the ledger takes is a price, as text or as number', () => {
  fc.assert(fc.property(fc.bigInt(0n, MAX), (digits) => parseDigits(digits.toString()) === digits))
  fc.assert(fc.property(fc.maxSafeNat(), (digits) => parseDigits(digits) === BigInt(digits)))
  for (const edge of [0n, 1n, MAX - 1n, MAX]) expect(parseDigits(edge.toString())).toBe(edge)
})

test('nothing else is one', () => {
  const none = ['', ' ', '1 ', '-1', '-0', '+1', '1.0', '0.5', '1,5', '1e3', '0x1', '007', '١', '１', 'NaN', '1_000']
  for (const text of [...none, `${MAX + 1n}`, `1${'0'.repeat(39)}`, '9'.repeat(1000)])
    expect(() => parseDigits(text), text).toThrow('digits must be a whole number')
  for (const number of [-1, 0.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => parseDigits(number), String(number)).toThrow('digits must be a whole number')
})

test('a price above nothing costs the least fee at least; a free one is free', () => {
  for (const digits of [0n, 100n, 101n, MAX]) expect(() => requireFee(digits, 100)).not.toThrow()
  for (const digits of [1n, 99n]) expect(() => requireFee(digits, 100)).toThrow('at least 100')
  expect(() => requireFee(1n, 0)).not.toThrow()
})
