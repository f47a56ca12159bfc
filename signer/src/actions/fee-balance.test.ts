import { describe, expect, test } from 'vitest'
import { openFeeBalance } from './fee-balance.js'

function feeBalanceWith(minimum: bigint, balance: bigint) {
  const said: string[] = []
  const say = (_: unknown, sentence?: string) => said.push(sentence ?? '')
  const feeBalance = openFeeBalance({ minimum, address: 'account', log: { info: say, warn: say } }, balance)
  return { feeBalance, said }
}

describe('the fee account', () => {
  test.each([
    [99n, true],
    [100n, false],
    [101n, false],
  ])('with %s and a minimum of 100 is poor: %s', (balance, expected) => {
    const { feeBalance, said } = feeBalanceWith(100n, balance)
    expect(feeBalance.isPoor).toBe(expected)
    expect(said).toHaveLength(expected ? 1 : 0)
  })

  test('is poor after a refusal, however low the minimum is, until the ledger takes something; it says so once', () => {
    const { feeBalance, said } = feeBalanceWith(0n, 50n)
    for (const [balance, mayPay] of [
      [50n, false],
      [49n, false],
      [51n, true],
      [51n, true],
    ] as const) {
      feeBalance.holds(50n)
      feeBalance.refused()
      feeBalance.holds(balance)
      expect([feeBalance.isPoor, feeBalance.mayPay]).toEqual([true, mayPay])
    }
    feeBalance.refused()
    expect(feeBalance.mayPay).toBe(false)
    expect(said).toHaveLength(1)
    feeBalance.accepted()
    expect([feeBalance.isPoor, feeBalance.mayPay]).toEqual([false, true])
    expect(said).toHaveLength(2)
  })

  test('below its minimum stays poor, whatever the ledger takes', () => {
    const { feeBalance } = feeBalanceWith(100n, 99n)
    feeBalance.accepted()
    expect([feeBalance.isPoor, feeBalance.mayPay]).toEqual([true, false])
  })
})
