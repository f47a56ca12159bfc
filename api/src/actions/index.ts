import type { Capability } from '../platform/operation.js'
import { actOnLedger } from './act-on-ledger.js'

export const actions: Capability = { operations: [actOnLedger] }
