export { type LedgerKeys, randomKeys } from './keys.js'
export { type Clock, Ledger } from './ledger.js'
export { type LedgerOptions, type OpenLedger, openLedger } from './open-ledger.js'
export type { Hex, StoredBlock } from './store/store.js'
