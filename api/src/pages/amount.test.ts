import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf } from './amount.js'

describe('an amount in millionths of a currency unit', () => {
  test.each([
    [0n, '0'],
    [1n, '0.000001'],
    [10n, '0.00001'],
    [999_999n, '0.999999'],
    [1_000_000n, '1'],
    [1_500_000n, '1.5'],
    [5_000_000n, '5'],
    [100_000_000n, '100'],
    [2n ** 128n - 1n, '340282366920938463463374607431768.211455'],
  ])('%s is %s', (millionths, text) => expect(amountOf(millionths)).toBe(text))

  test('says all of it and no more', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (millionths) => {
        const [whole = '', part = ''] = amountOf(millionths).split('.')
        expect(BigInt(whole + part.padEnd(6, '0'))).toBe(millionths)
        expect(part).not.toMatch(/0$/)
      }),
    )
  })
})
