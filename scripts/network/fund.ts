import { treasury } from '@accredit/embedded-ledger/network'
import { balanceOf, payment } from '../council/proposals.js'
import { councilOf, decide, onLedger } from './council.js'
import { requireState } from './network-state.js'
import { requireRunning, withLock } from './run-network.js'

export interface Funding {
  account: string
  /** The balance of the account after the payment, and that of the treasury. */
  balance: bigint
  left: bigint
}

/** Pays an account from the treasury, by a motion of the council. */
export function fundAccount(stateDir: string, account: string, amount: bigint): Promise<Funding> {
  return withLock(stateDir, async () => {
    const running = await requireRunning(stateDir, await requireState(stateDir))
    return onLedger(running, async (api) => {
      const call = await payment(api, account, amount)
      await decide(api, await councilOf(api, stateDir), call)
      return { account, balance: await balanceOf(api, account), left: await balanceOf(api, await treasury()) }
    })
  })
}
