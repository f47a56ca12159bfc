import type { Did, Hex32 } from '@accredit/chain'
import { actingKey } from '../dids/did.store.js'
import { type StartedJob, startJob } from '../ledger/start-job.js'
import { JOB_HEADER, NO_JOB } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'

export interface RegistryAction {
  kind: string
  registryId: Hex32
  /** Whose key signs; a DID of the transaction's teams. */
  actor: Did
  /** One dispatch: all of it happens, or nothing. */
  calls: Uint8Array[]
  /** A dispatch for each call instead, in their order: for what is too much for one block. */
  oneByOne?: boolean
  data?: Record<string, unknown>
}

/** The caller's job for one action in a registry. Without calls there is nothing to do, and no job. */
export async function startRegistryJob(tx: Tx, ctx: Context, action: RegistryAction): Promise<StartedJob> {
  const { kind, registryId, actor, calls, oneByOne = false, data = {} } = action
  if (calls.length === 0) return NO_JOB
  const key = await actingKey(tx, actor)
  const dispatches = oneByOne ? calls.map((call) => [call]) : [calls]
  const parts = dispatches.map((part) => ({ did: actor, action: { kind: 'dispatch' as const, ...key, calls: part } }))
  return startJob(tx, ctx, { kind, subject: registryId, data, parts })
}

/** The last step of a transaction: what was accepted, as it is answered to a retry after a crash, with the job's name. */
export function answerAccepted<T>(tx: Tx, ctx: Context, job: StartedJob, answer: T): Promise<T> {
  ctx.reply.header(JOB_HEADER, job.id)
  return tx.answer(answer)
}
