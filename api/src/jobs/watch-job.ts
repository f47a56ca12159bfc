import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { jobWatchOf, type WatchedJob } from '../ledger/write/job-watch.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { eventStream } from './event-stream.js'
import { JobId } from './job.shape.js'

const NOTHING: WatchedJob = { id: '0', status: 'finalized', result: {}, version: '0' }

export const watchJob = operation({
  method: 'GET',
  url: '/jobs/:id/events',
  operationId: 'watchJob',
  tags: ['jobs'],
  summary: 'Follow a job as server-sent events',
  description:
    'An event `job` with the job as GET /jobs/{id} has it, at once and whenever it changes; the stream ends after its final state, and after ten minutes. With Last-Event-ID a state that the reader had is not told again. A comment comes every 15 seconds. A team follows 32 jobs at once, an address 64.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: Type.Object({ id: JobId }),
  response: { 200: Type.Unsafe<Readable>(Type.String({ description: 'text/event-stream, as HTML describes it' })) },
  mediaTypes: ['text/event-stream'],
  limits: { concurrencyPerAddress: 64 },
  errors: ['not_found', 'rate_limited'],
  handler: async (ctx, { params: { id } }) => {
    const begin =
      id === NOTHING.id
        ? (tell: (state: WatchedJob) => void) => {
            tell(NOTHING)
            return () => undefined
          }
        : await beginOf(id)
    ctx.reply.type('text/event-stream; charset=utf-8')
    ctx.reply.header('Cache-Control', 'no-store')
    // Proxies that gather answers would hold events back.
    ctx.reply.header('X-Accel-Buffering', 'no')
    return eventStream(begin, ctx.lastEventId)

    async function beginOf(job: string) {
      const own = await ctx.db.read(ctx.scope, (reader) =>
        reader.selectFrom('jobs').select('id').where('id', '=', job).where('team_id', '=', ctx.team).executeTakeFirst(),
      )
      if (!own) throw notFound('Job')
      return (tell: (state: WatchedJob | undefined) => void) =>
        jobWatchOf(ctx).follow({ id: job, team: ctx.team, tell })
    }
  },
})
