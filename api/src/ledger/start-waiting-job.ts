import { callHash, hexOf } from '@accredit/chain'
import { sql } from 'kysely'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import { json, type PartItem } from '../platform/database/tables.js'
import { countFrom, type NewJob, type StartedJob, startJob } from './start-job.js'

/** What a DID has to do whose keys are not here. */
export interface WaitingJob extends Omit<NewJob, 'parts'> {
  /** Whose events on the ledger may tell that it is done. */
  subject: string
  did: string
  /** Each is signed and dispatched on its own, in whatever order its owner likes. */
  calls: Uint8Array[]
  /** What each of the calls does of a request with many things to do. */
  items?: readonly (readonly PartItem[])[]
  /** The result that says so while the job is in progress. */
  result: Record<string, unknown>
  expires: Date
}

/** Stores a job that goes on when the ledger has its calls, whoever brought them there, and fails when that takes too long. */
export async function startWaitingJob(
  tx: Tx,
  ctx: Pick<Context, 'team' | 'random'>,
  { did, calls, items = [], result, expires, ...job }: WaitingJob,
): Promise<StartedJob> {
  const started = await startJob(tx, ctx, { ...job, parts: [] })
  await tx
    .updateTable('jobs')
    .set({ status: 'in_progress', result: json({ ...result, ...countFrom(items.map((part) => ({ items: part }))) }) })
    .where('id', '=', started.id)
    .execute()
  const rows = calls.map((call, part) => ({
    ...{ id: `${started.id}-${part}`, job_id: started.id, part, team_id: ctx.team, did, sequence: null },
    ...{ action: json({ call: hexOf(call) }), state: 'waiting' as const, call_hash: callHash([call]), expires },
    waits_in: job.subject,
    items: items[part] ? json(items[part]) : null,
    waits_from: sql<number>`(select coalesce(max(height), 0) from ledger.block)`,
  }))
  await tx.insertInto('ledger_actions').values(rows).execute()
  return { ...started, isWaiting: true }
}
