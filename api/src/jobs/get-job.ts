import { Type } from 'typebox'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { Job, JobId } from './job.shape.js'

export const getJob = operation({
  method: 'GET',
  url: '/jobs/:id',
  operationId: 'getJob',
  tags: ['jobs'],
  summary: 'Get a background job',
  description: 'Job 0 stands for nothing to wait for and is always finalized. Jobs are kept for 30 days.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: Type.Object({ id: JobId }),
  response: { 200: Job },
  errors: ['not_found'],
  handler: async (ctx, { params }) => {
    if (params.id === '0') return { id: '0', status: 'finalized' as const, result: {} }
    const job = await ctx.db.read(ctx.scope, (reader) =>
      reader
        .selectFrom('jobs')
        .select(['id', 'status', 'result'])
        .where('id', '=', params.id)
        .where('team_id', '=', ctx.team)
        .executeTakeFirst(),
    )
    if (!job) throw notFound('Job')
    return job
  },
})
