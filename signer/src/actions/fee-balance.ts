/** Tells whether the fee account can pay: by its balance, and by what the ledger last said of it. */
import type { FastifyBaseLogger } from 'fastify'

export interface FeeBalance {
  /** Below its minimum; or the ledger refused an extrinsic for want of money, and has taken none since. */
  readonly isPoor: boolean
  /** It holds what may be enough: poor or not, what waits is worth bringing. */
  readonly mayPay: boolean
  readonly balance: bigint
  /** Takes note of what it holds now. */
  holds(balance: bigint): void
  /** The ledger did not take an extrinsic for want of money: whatever the minimum says, this balance is too little. */
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
