import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { JobId, JobStatus } from './job.shape.js'
import { jobsOf } from './job.store.js'

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const ListedJob = Type.Object({
  id: JobId,
  kind: Type.String({ description: 'The kind of work: did.create, status.revoke, credentials.batch' }),
  subject: orNull('The id of its subject, a DID or a registry'),
  status: JobStatus,
  progress: Type.Union(
    [
      Type.Object({
        done: Type.Integer({ description: 'The number of its parts or rows that are done' }),
        total: Type.Integer({ description: 'The number of all of them' }),
      }),
      Type.Null(),
    ],
    { description: 'The progress of a job of many parts or rows; null for others' },
  ),
  error: Type.Union(
    [
      Type.Object({
        type: Type.String({ description: 'The error catalogue, or the error of the ledger' }),
        message: Type.String({ description: 'The reason, for people' }),
      }),
      Type.Null(),
    ],
    { description: 'The reason of a job that ended as an error' },
  ),
  isStuck: Type.Boolean({
    description:
      'True of a job that the ledger has, and whose end could not be stored for most of a day: POST /jobs/{id}/retry tries it again',
  }),
  created: Type.String({ format: 'date-time', description: 'The time at which it was asked for' }),
  updated: Type.String({ format: 'date-time', description: 'The time of its last change' }),
})

export const listJobs = operation({
  method: 'GET',
  url: '/jobs',
  operationId: 'listJobs',
  tags: ['jobs'],
  summary: 'List the background jobs of your team, newest first',
  description:
    'Jobs of the last 30 days. Those that failed (`status=error`) and those whose end could not be stored (`stuck=true`) wait for POST /jobs/{id}/retry. GET /jobs/{id} has the whole result.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery().properties,
    status: Type.Optional(JobStatus),
    kind: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only jobs of this kind' })),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Only jobs with this subject, written as in the list',
      }),
    ),
    stuck: Type.Optional(
      Type.Boolean({ description: 'true: only jobs whose end could not be stored; false: the others' }),
    ),
  }),
  response: { 200: Type.Array(ListedJob) },
  handler: async (ctx, { query: { offset, limit, ...filter } }) => {
    const rows = await ctx.db.read(ctx.scope, (reader) => jobsOf(reader, ctx.team, filter, { offset, limit }))
    return rows.map(({ done, total, type, message, is_stuck, created, updated, ...row }) => ({
      ...row,
      progress: done === null || total === null ? null : { done, total },
      error: type === null || message === null ? null : { type, message },
      isStuck: is_stuck,
      created: created.toISOString(),
      updated: updated.toISOString(),
    }))
  },
})
