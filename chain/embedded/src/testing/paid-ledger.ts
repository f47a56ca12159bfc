import { scratchDatabase } from '../../../../test/support/scratch-database.js'
import { randomKeys } from '../keys.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import { FeePayer, randomPair } from './fee-payer.js'

export interface PaidLedger {
  readonly databaseUrl: string
  readonly opened: OpenLedger
  readonly payer: FeePayer
  close(): Promise<void>
}

/** A new ledger in a database of its own, and an account on it that can pay. */
export async function openPaidLedger(): Promise<PaidLedger> {
  const scratch = await scratchDatabase()
  const pair = await randomPair()
  const opened = await openLedger({ databaseUrl: scratch.url, keys: randomKeys(), feeAccounts: [pair.address] })
  const payer = await FeePayer.on(opened.ledger, pair)
  return {
    databaseUrl: scratch.url,
    opened,
    payer,
    async close() {
      await payer.close()
      await opened.close()
      await scratch.drop()
    },
  }
}
