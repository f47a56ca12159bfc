/** Tells whether the fee account can pay: by its balance, and by the ledger's last answers. */
import type { FastifyBaseLogger } from 'fastify'

export interface FeeBalance {
  /** True below its minimum, or after the ledger refused an extrinsic for want of money, and has taken none since. */
  readonly isPoor: boolean
  /** True where the balance may be enough: poor or not, the waiting extrinsics are worth bringing. */
  readonly mayPay: boolean
  readonly balance: bigint
  /** Records the present balance. */
  holds(balance: bigint): void
  /**
   * Records that the ledger did not take an extrinsic for want of money: whatever the minimum is, this balance is too
   * little.
   */
  refused(): void
  /** The ledger took one. */
  accepted(): void
}

export interface FeeBalanceNeeds {
  minimum: bigint
  address: string
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

export function openFeeBalance({ minimum, address, log }: FeeBalanceNeeds, first: bigint): FeeBalance {
  let balance = first
  let tooLittle: bigint | undefined
  let isPoor = false

  function judge() {
    const wasPoor = isPoor
    isPoor = balance < minimum || tooLittle !== undefined
    if (isPoor === wasPoor) return
    const account = { address, balance: balance.toString(), minimum: minimum.toString() }
    if (isPoor) log.warn(account, 'The fee account is poor: actions wait until it has more.')
    else log.info(account, 'The fee account can pay again.')
  }

  judge()
  return {
    get isPoor() {
      return isPoor
    },
    get mayPay() {
      return balance >= minimum && (tooLittle === undefined || balance > tooLittle)
    },
    get balance() {
      return balance
    },
    holds(now) {
      balance = now
      judge()
    },
    refused() {
      tooLittle = balance
      judge()
    },
    accepted() {
      tooLittle = undefined
      judge()
    },
  }
}
