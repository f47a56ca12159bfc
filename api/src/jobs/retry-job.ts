import { Type } from 'typebox'
import type { Rerun } from '../capability.js'
import { wakeWorker } from '../ledger/write/wake.js'
import { ApiError, notFound } from '../platform/errors.js'
import { type Operation, operation } from '../platform/http/operation.js'
import { Job, JobId } from './job.shape.js'
import { lockJob, setGoingOn, tryEndNow } from './job.store.js'

/** The kinds of jobs that can be begun anew, of all capabilities. */
export type Reruns = Readonly<Record<string, Rerun>>

export const retryJobWith = (reruns: () => Reruns): Operation =>
  operation({
    method: 'POST',
    url: '/jobs/:id/retry',
    operationId: 'retryJob',
    tags: ['jobs'],
    summary: 'Begin a failed job anew',
    description:
      'Revocations, prices, removals, single ledger actions and mails that ended as an error are sent again, by the keys that are there now; the job keeps its id. Of other kinds everything was undone: repeat their operation. A job whose end could not be stored is tried again at once.',
    auth: 'key',
    role: 'member',
    tenancy: 'owned',
    params: Type.Object({ id: JobId }),
    response: { 200: Job },
    errors: ['not_found', 'conflict'],
    handler: (ctx, { params: { id } }) =>
      ctx.db.transaction(ctx.scope, async (tx) => {
        const job = await lockJob(tx, ctx.team, id)
        if (!job) throw notFound('Job')
        const { status, result, kind } = job
        if (status === 'finalized') throw new ApiError('conflict', 'The job is finalized: there is nothing to retry')
        if (status !== 'error') {
          if (!(await tryEndNow(tx, id))) throw new ApiError('conflict', 'The job is under way: wait for its end')
          tx.afterCommit(wakeWorker)
        } else {
          const rerun = reruns()[kind]
          if (!rerun)
            throw new ApiError('conflict', `Jobs of kind ${kind} undo all when they fail: repeat the operation`)
          if (!(await rerun(tx, ctx, job)))
            throw new ApiError('conflict', 'What the job needs is gone: repeat the operation')
          await setGoingOn(tx, id)
        }
        await tx.audit({
          action: 'retryJob',
          subject: id,
          detail: { kind },
          before: { status },
          after: { status: 'in_progress' },
        })
        return tx.answer({ id, status: 'in_progress' as const, result: status === 'error' ? {} : result })
      }),
  })
