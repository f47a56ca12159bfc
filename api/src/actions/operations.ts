import type { Served } from '../platform/http/operation.js'
import { actOnLedger } from './act-on-ledger.js'
import { prepareLedgerAction } from './prepare-ledger-action.js'

export const actions: Served = { operations: [actOnLedger, prepareLedgerAction] }
