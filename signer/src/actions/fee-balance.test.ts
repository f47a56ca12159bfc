import { describe, expect, test } from 'vitest'
import { openPurse } from './fee-balance.js'

function purseWith(minimum: bigint, balance: bigint) {
  const said: string[] = []
  const say = (_: unknown, sentence?: string) => said.push(sentence ?? '')
  const purse = openPurse({ minimum, address: 'account', log: { info: say, warn: say } }, balance)
  return { purse, said }
}

describe('the fee account', () => {
  test.each([
    [99n, true],
    [100n, false],
    [101n, false],
  ])('with %s and a minimum of 100 is poor: %s', (balance, expected) => {
    const { purse, said } = purseWith(100n, balance)
    expect(purse.isPoor).toBe(expected)
    expect(said).toHaveLength(expected ? 1 : 0)
  })

  test('is poor after a refusal, however low the minimum is, until the ledger takes something; it says so once', () => {
    const { purse, said } = purseWith(0n, 50n)
    for (const [balance, mayPay] of [
      [50n, false],
      [49n, false],
      [51n, true],
      [51n, true],
    ] as const) {
      purse.holds(50n)
      purse.refused()
      purse.holds(balance)
      expect([purse.isPoor, purse.mayPay]).toEqual([true, mayPay])
    }
    purse.refused()
    expect(purse.mayPay).toBe(false)
    expect(said).toHaveLength(1)
    purse.accepted()
    expect([purse.isPoor, purse.mayPay]).toEqual([false, true])
    expect(said).toHaveLength(2)
  })

  test('below its minimum stays poor, whatever the ledger takes', () => {
    const { purse } = purseWith(100n, 99n)
    purse.accepted()
    expect([purse.isPoor, purse.mayPay]).toEqual([true, false])
  })
})
