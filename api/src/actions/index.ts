import type { Capability } from '../platform/http/operation.js'
import { actOnLedger } from './act-on-ledger.js'
import { prepareLedgerAction } from './prepare-ledger-action.js'

export const actions: Capability = { operations: [actOnLedger, prepareLedgerAction] }
