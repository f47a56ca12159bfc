import type { Served } from '../platform/http/operation.js'
import { changeDelegatableStatus } from './change-delegatable-status.js'
import { changeWalletRevocations } from './change-wallet-revocations.js'
import { getWalletRevocations } from './get-wallet-revocations.js'

export const delegation: Served = {
  operations: [changeDelegatableStatus, changeWalletRevocations, getWalletRevocations],
}
