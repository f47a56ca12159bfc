import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isExact, numberAt } from './exact-number.js'
import { parseJson } from './json.js'

/** A number as JSON writes it: its digits, and the power of ten of the last one. */
function exactly(text: string): { digits: bigint; power: bigint } {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  let digits = BigInt(`${sign}${whole}${fraction}`)
  let last = BigInt(power) - BigInt(fraction.length)
  if (digits === 0n) return { digits, power: 0n }
  for (; digits % 10n === 0n; digits /= 10n) last++
  return { digits, power: last }
}

const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})$/)
const literal = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,24}$/), fc.stringMatching(/^\.\d{0,3}0{1,24}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?0{0,3}\d{1,3}$/)),
  )
  .map((parts) => parts.join(''))
/** All that a program writes that keeps the number. */
const kept = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20))
  .chain(([value, more]) => fc.constantFrom(JSON.stringify(value), value.toExponential(), padded(value, more)))

/** The same number with zeros that change nothing. */
function padded(value: number, noughts: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  return `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(noughts + 1)}E${power}`
}

test('a number is taken in every spelling of exactly the value that is kept, and in no other', () => {
  fc.assert(
    fc.property(fc.oneof(literal, kept), (text) => {
      const value = Number(text)
      const same = Number.isFinite(value) && isSame(exactly(text), exactly(JSON.stringify(value)))
      expect(isExact(text)).toBe(same)
      const bytes = Buffer.from(`[${text}]`)
      expect(numberAt(bytes, 1)).toEqual({ end: bytes.length - 1, exact: same })
      if (same) expect(parseJson(` { "a" : ${text} } `)).toEqual({ a: value })
      else expect(() => parseJson(`{"a":${text}}`)).toThrow('/a: the number')
    }),
    { numRuns: 3000, interruptAfterTimeLimit: 10_000 },
  )
})

const isSame = (a: ReturnType<typeof exactly>, b: ReturnType<typeof exactly>): boolean =>
  a.digits === b.digits && a.power === b.power

test.each([
  '1e2',
  '1.50',
  '-0',
  '0e999',
  '-0.000',
  '45e-1',
  '1e21',
  '100000000000000000000',
  '5e-324',
  '0.30000000000000004',
  '9007199254740992',
  `1.${'0'.repeat(5000)}`,
])('%.40s is kept', (text) => {
  expect(isExact(text)).toBe(true)
})

test.each([
  '9007199254740993',
  '9007199254740991.4',
  '1e-400',
  '1e400',
  '0.9999999999999999999999',
  '15.99999999999999999999',
  '0.10000000000000001',
  '1e-324',
])('%s is not', (text) => {
  expect(isExact(text)).toBe(false)
})

test('digits in text, and in the names of members, are no numbers', () => {
  const text = '{"9007199254740993":"9007199254740993","\\"1e999":["1e-400"]}'
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test('a text of a million digits that is no number takes no longer than a number of them', { timeout: 10_000 }, () => {
  const digits = '1'.repeat(1_000_000)
  for (const text of [`${digits}-`, `${digits}.${digits}-`, `${digits}e${digits}-`]) expect(isExact(text)).toBe(false)
  expect(() => parseJson(`[${digits}-]`)).toThrow()
})
