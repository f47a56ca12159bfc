import { randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import { FeePayer, randomPair } from './fee-payer.js'

/** A new ledger, and an account on it that can pay. */
export async function openPaidLedger(databaseUrl: string): Promise<{ opened: OpenLedger; payer: FeePayer }> {
  const pair = await randomPair()
  const opened = await openLedger({ databaseUrl, keys: randomKeys(), feeAccounts: [pair.address] })
  return { opened, payer: await FeePayer.on(opened.ledger, pair) }
}
