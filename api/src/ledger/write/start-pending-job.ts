import { callHash, hexOf } from '@accredit/chain'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import { json, type PartItem } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'
import { newestIndexed } from '../read/blocks.js'
import { countFrom, type NewJob, type StartedJob, startJob } from './start-job.js'

export interface PendingDispatch {
  /** The calls of one dispatch: all of them happen, or none. */
  calls: readonly Uint8Array[]
  /** The hash of the calls without versions of registries, where they follow any. */
  unversionedHash?: string | undefined
  /** The items of the request that this dispatch carries out. */
  items?: readonly PartItem[]
  /** The facts that the ledger has once the dispatch is done, also by other calls. */
  expected: readonly object[]
}

/** The job's work for a DID whose keys are not here. */
export interface PendingJob extends Omit<NewJob, 'parts'> {
  /** The subject whose events on the ledger may tell that the work is done. */
  subject: string
  did: string
  /** The dispatches, each signed on its own, in any order. */
  dispatches: readonly PendingDispatch[]
  /** The result that the job shows while it is in progress. */
  result: Record<string, unknown>
  expires: Date
}

/** Stores a job that goes on when the ledger has its calls, from anyone, and fails when that takes too long. */
export async function startPendingJob(
  tx: Tx,
  ctx: Pick<Context, 'team' | 'random'>,
  { did, dispatches, result, expires, ...job }: PendingJob,
): Promise<StartedJob> {
  const started = await startJob(tx, ctx, { ...job, parts: [] })
  await tx
    .updateTable('jobs')
    .set({ status: 'in_progress', result: json({ ...result, ...countFrom(dispatches) }) })
    .where('id', '=', started.id)
    .execute()
  const rows = dispatches.map(({ calls, unversionedHash = null, items, expected }, part) => ({
    id: `${started.id}-${part}`,
    job_id: started.id,
    part,
    team_id: ctx.team,
    did,
    sequence: null,
    action: json({ signs: calls.map((call) => hexOf(call)), wants: expected }),
    state: 'waiting' as const,
    call_hash: callHash(calls),
    unversioned_hash: unversionedHash,
    items: items ? json(items) : null,
    waits_in: job.subject,
    waits_from: sql<number>`coalesce(${newestIndexed}, 0)`,
    expires,
  }))
  await tx.insertInto('ledger_actions').values(rows).execute()
  return { ...started, isWaiting: true }
}
