/** What one call may cost, with room to what the ledger allows (1,000) for what it does not know yet: a block shall have place for others. */
export const CALL_BUDGET = 800

/** Delegates that an issuer has at most; they end with the last schema that it issues. */
export const DELEGATES_MAX = 16
