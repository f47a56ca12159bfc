export const ROWS_MAX = 10_000

/** The largest body of a batch. */
export const BATCH_BYTES = 16 * 1024 * 1024

/** The hours for which the result of a batch is kept. */
export const RESULT_HOURS = 24

/** The kinds of the jobs of batches. */
export const BATCH_JOB = 'credentials.issue-batch'
