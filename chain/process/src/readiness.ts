/**
 * The parts that the api's `/ready` tells of, by their names there. The doctor has a remedy for each, and compiles with
 * no other.
 */
export type ReadyCheckName = 'database' | 'signer' | 'ledger' | 'ledgerIndex' | 'fees'

/** Of these `fees` is a notice: without money everything but writing goes on. */
export type NoticeName = Extract<ReadyCheckName, 'fees'>
