import { setImmediate } from 'node:timers/promises'
import { type Did, describeCalls, type Hex32 } from '@accredit/chain'
import { actingKeyHere } from '../dids/did.store.js'
import { keepsOwnKey } from '../dids/wallet/did-proof.store.js'
import { convenes } from '../ledger/read/registries/convener.js'
import { unversionedHash } from '../ledger/write/pending-ids.js'
import { type StartedJob, startJob } from '../ledger/write/start-job.js'
import { type PendingDispatch, startPendingJob } from '../ledger/write/start-pending-job.js'
import { JOB_HEADER, NO_JOB } from '../ledger/write/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import type { PartItem } from '../platform/database/tables.js'
import { invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { expectedChanges } from './expected-changes.js'
import { JOB } from './job-kinds.js'

export interface RegistryAction {
  kind: string
  registryId: Hex32
  /** The signer: a DID of the transaction's teams, or a convener that keeps its own key. */
  actor: Did
  /** The calls of one dispatch: all of it happens, or nothing. */
  calls: Uint8Array[]
  /** Calls that have a dispatch each instead, in order: for work that is too much for one block. */
  oneByOne?: boolean
  /** The items of a request that the calls, one by one, carry out. */
  items?: readonly (readonly PartItem[])[]
  data?: Record<string, unknown>
}

/** The result of a job that goes on when the convener has signed. */
export const WAITING = { waitingFor: 'convener' } as const

/**
 * Starts the caller's job for one action in a registry. Without calls there is no job. Where the convener of a registry
 * keeps its own key, the job waits until the ledger has the job's effect. Throws 404 when the key of any other DID is
 * not here.
 */
export async function startRegistryJob(tx: Tx, ctx: Context, action: RegistryAction): Promise<StartedJob> {
  const { kind, registryId, actor, calls, oneByOne = false, items = [], data = {} } = action
  if (calls.length === 0) return NO_JOB
  const dispatches = oneByOne ? calls.map((call) => [call]) : [calls]
  const key = await actingKeyHere(tx, actor)
  if (key === undefined) {
    // A job that waited for another DID would be shown to nobody who could sign it.
    const isConvener = kind === JOB.create ? keepsOwnKey(tx, ctx.team, actor) : convenes(tx, actor, registryId)
    if (!(await isConvener)) throw notFound('DID')
    return startPending(tx, ctx, dispatches, action)
  }
  const parts = dispatches.map((part, index) => ({
    did: actor,
    action: { kind: 'dispatch' as const, ...key, calls: part },
    ...(items[index] && { items: items[index] }),
  }))
  return startJob(tx, ctx, { kind, subject: registryId, data, parts })
}

async function startPending(tx: Tx, ctx: Context, dispatches: Uint8Array[][], action: RegistryAction) {
  const { kind, registryId, actor, items = [], data = {} } = action
  if (ctx.isDryRun)
    throw invalid('The convener keeps its own key: what it would change is told by POST /ledger/actions?dryRun=true')
  const pending: PendingDispatch[] = []
  for (const [part, calls] of dispatches.entries()) {
    // The rows are read in parts, since thousands take long: other requests have their turn after each part.
    await setImmediate()
    const described = describeCalls(calls)
    const [rows, expected] = [items[part], expectedChanges(actor, described)]
    pending.push({ calls, expected, unversionedHash: unversionedHash(described), ...(rows && { items: rows }) })
  }
  const expires = new Date(ctx.clock.now().getTime() + ctx.config.convenerWaitSeconds * 1000)
  return startPendingJob(tx, ctx, {
    kind,
    subject: registryId,
    did: actor,
    dispatches: pending,
    result: WAITING,
    expires,
    data,
  })
}

/** Ends a transaction: stores the accepted state, as it is answered to a retry after a crash, with the job's name. */
export function answerAccepted<T>(tx: Tx, ctx: Context, job: StartedJob, answer: T): Promise<T> {
  ctx.reply.header(JOB_HEADER, job.id)
  return tx.answer(answer)
}
