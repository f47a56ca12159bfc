/** The cost that one call may have: below the ledger's 1,000, since the plan lags and a block needs room for others. */
export const CALL_BUDGET = 800
