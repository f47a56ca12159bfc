import type { Tx } from '../platform/database/database.js'

/**
 * Tells a team that a job of it ended as an error, other than by an answer of the ledger, which the follower tells.
 *
 * @param error holds no text of the request
 */
export async function tellFailedJob(tx: Tx, job: string, error: { type: string; message: string }): Promise<void> {
  const row = await tx
    .selectFrom('jobs')
    .select(['team_id', 'kind'])
    .where('id', '=', job)
    .where('status', '=', 'error')
    .executeTakeFirst()
  if (row) tx.notify('job_failed', { jobId: job, kind: row.kind, error }, row.team_id)
}
