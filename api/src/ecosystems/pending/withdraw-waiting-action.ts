import { Type } from 'typebox'
import { JobId } from '../../jobs/job.shape.js'
import { jobWatchOf } from '../../ledger/write/job-watch.js'
import { giveUpPending } from '../../ledger/write/pending-actions.js'
import { wakeWorker } from '../../ledger/write/wake.js'
import { ApiError, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { NothingToSay, operation } from '../../platform/http/operation.js'
import { presentPoint } from '../read-point.js'
import { findRegistry } from '../registries/access.js'
import { ownPendingRegistry } from '../registries/registry.store.js'
import { registryRef } from '../registries/slug.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'
import { type PendingJob, pendingJob } from './pending-signatures.queries.js'

const WITHDRAWN = { type: 'withdrawn', message: 'It was withdrawn before its convener signed: ask again' }

export const withdrawWaitingAction = operation({
  method: 'DELETE',
  url: '/trust-registries/:registryId/waiting-actions/:job',
  operationId: 'withdrawWaitingAction',
  tags: ['trustRegistries'],
  summary: 'Withdraw what waits for the signature of a convener that keeps its own key',
  description:
    'By the convener’s team, or by whoever asked for it: all that still waits of a job. The job fails (`withdrawn`), and what it held, such as an invitation’s token, is free again. What the convener signed by then comes about all the same; 409 when nothing waits any more. Once more changes nothing.',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  params: Type.Object({ ...RegistryParams.properties, job: JobId }),
  response: { 200: NothingToSay },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    // The job may be a guest's: another team's.
    const pending = await ctx.db.read('system', (reader) => pendingJob(reader, params.job))
    if (!pending || !(await mayWithdraw(ctx, params.registryId, pending))) throw notFound('Waiting action')
    await withdraw(ctx, params.job, pending)
    await jobWatchOf(ctx).ended(params.job, ctx.config.ledger.waitMs)
    return {}
  },
})

async function mayWithdraw(ctx: Context, refText: string, { registry, team }: PendingJob): Promise<boolean> {
  const ref = registryRef(refText)
  const unsigned = await ctx.db.read(ctx.scope, (reader) => ownPendingRegistry(reader, ctx.team, ref))
  if (unsigned) return unsigned.registry_id === registry
  const access = await findRegistry(ctx, ref, await presentPoint(ctx))
  return access?.registry.id === registry && (access.standing.is_owner || team === ctx.team)
}

async function withdraw(ctx: Context, job: string, { registry, team }: PendingJob): Promise<void> {
  await ctx.db.transaction({ ...ctx.scope, teams: [ctx.team, team] }, async (tx) => {
    const ended = await giveUpPending(tx, [job], WITHDRAWN)
    if (ended === 0n) {
      const present = await pendingJob(tx, job)
      if (present?.refusals.includes(WITHDRAWN.type)) return
      throw new ApiError('conflict', `Nothing of job ${job} waits any more: see what became of it`)
    }
    await tx.audit({ action: 'withdrawWaitingAction', subject: registry, before: { waiting: job } })
    tx.afterCommit(wakeWorker)
  })
}
