/**
 * The cost that one call may have: below the ledger's 1,000, since the plan lags and a block has to have place for
 * others.
 */
export const CALL_BUDGET = 800

/** Delegates that the ledger lets an issuer have; they end with the last schema that it issues. */
export const DELEGATES_MAX = 16
