import { addressOf, treasury } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from '../start/refusal.js'
import { councilOf, decideAsRoot } from './council.js'
import { callOf, stored, withLedger } from './ledger-client.js'
import { requireState } from './network-state.js'
import { requireRunning, withLock } from './run-network.js'

const Account = Type.Object({ data: Type.Object({ free: Type.Union([Type.Integer(), Type.String()]) }) })

export interface Funding {
  account: string
  /** The balance of the account after the payment, and that of the treasury. */
  balance: bigint
  left: bigint
}

/** Pays an account from the treasury, by a motion of the council. */
export async function fundAccount(stateDir: string, wanted: string, amount: bigint): Promise<Funding> {
  const account = await addressOf(wanted)
  if (account === undefined) throw new Refusal(`'${wanted}' is no address of an account (SS58, prefix 42).`)
  return withLock(stateDir, async () => {
    const running = await requireRunning(stateDir, await requireState(stateDir))
    return withLedger(running, async (api) => {
      const source = await treasury()
      const has = await balanceOf(api, source)
      if (has < amount)
        throw new Refusal(
          `The treasury ${source} has ${has}, which is less than ${amount}: fees fill it, and anybody may pay into it.`,
        )
      const payment = callOf(api, 'balances', 'forceTransfer', source, account, amount)
      await decideAsRoot(api, await councilOf(api, stateDir), payment)
      return { account, balance: await balanceOf(api, account), left: await balanceOf(api, source) }
    })
  })
}

async function balanceOf(api: ApiPromise, account: string): Promise<bigint> {
  const found = await stored(api, 'system', 'account', account)
  if (!Check(Account, found)) throw new Refusal(`The balance of ${account} cannot be read.`)
  return BigInt(found.data.free)
}
