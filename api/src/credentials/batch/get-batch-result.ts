import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { JobId } from '../../jobs/job.shape.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { streamedList } from '../../platform/http/streamed-list.js'
import { BatchOutcome } from './batch.shape.js'
import { endedBatch, outcomesAfter } from './batch.store.js'
import { RESULT_HOURS } from './batch-limits.js'
import { batchKey, openRow } from './batch-seal.js'

type Outcome = Static<typeof BatchOutcome>

const LINES = 'application/x-ndjson'
/** The rows that are read, and held in memory, at a time. */
const CHUNK = 100

export const getBatchResult = operation({
  method: 'GET',
  url: '/credentials/batch/:jobId/result',
  operationId: 'getBatchResult',
  tags: ['credentials'],
  summary: 'Get what came of a batch',
  description: `One JSON object a line for each row, in their order: the credential, or the refusal. 409 while the batch is in work, 410 when it ended more than ${RESULT_HOURS} hours ago.`,
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: Type.Object({ jobId: JobId }),
  response: { 200: Type.Unsafe<Readable>(BatchOutcome) },
  mediaTypes: [LINES],
  limits: { streamsPerAddress: 4 },
  errors: ['not_found', 'conflict', 'gone'],
  handler: async (ctx, { params }) => {
    const { job_id, seal } = await ctx.db.read(ctx.scope, (reader) => endedBatch(reader, ctx, params.jobId))
    return streamedList(ctx, LINES, { columns: [], chunks: outcomes(ctx, job_id, seal) })
  },
})

async function* outcomes(ctx: Context, job: string, seal: string): AsyncGenerator<Outcome[]> {
  const key = batchKey(ctx)
  for (let after = 0, more = true; more; ) {
    const rows = await ctx.db.read(ctx.scope, (reader) => outcomesAfter(reader, job, after, CHUNK))
    if (rows.length > 0)
      yield rows.map(({ row, sealed }): Outcome => JSON.parse(openRow(key, { seal, row, holds: 'outcome' }, sealed)))
    after = rows.at(-1)?.row ?? after
    more = rows.length === CHUNK
  }
}
