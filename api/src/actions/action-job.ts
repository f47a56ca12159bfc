/** The kind of the jobs that bring one call of a caller to the ledger. */
export const ACTION_JOB = 'ledger.action'
