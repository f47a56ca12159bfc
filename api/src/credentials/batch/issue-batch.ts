import { startJob } from '../../ledger/write/start-job.js'
import { jobStarted } from '../../ledger/write/wait-for-job.js'
import { UnreadBody } from '../../platform/http/input/request-body.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { BatchStarted, IssueBatch } from './batch.shape.js'
import { insertBatch, requireRoom } from './batch.store.js'
import { BATCH_BYTES, BATCH_JOB, RESULT_HOURS, ROWS_MAX } from './batch-limits.js'
import { batchKey } from './batch-seal.js'

export const issueBatch = operation({
  method: 'POST',
  url: '/credentials/batch',
  operationId: 'issueBatch',
  tags: ['credentials'],
  summary: 'Issue many credentials',
  description: `1 to ${ROWS_MAX} rows, as \`{ "rows": [...] }\` or one a line as \`application/x-ndjson\`, each what POST /credentials takes, in any format; at most ${BATCH_BYTES} bytes. The job counts rows (\`done\`, \`total\`), and when it has ended names those that were refused (\`refused\`: row, type, message; at most 100 of them). A bad row refuses nothing but itself, with the answer that it would have had alone: GET /credentials/batch/{jobId}/result has the answers to all rows for ${RESULT_HOURS} hours. Each row is issued once, whatever fails meanwhile; where the signer or the ledger cannot be asked it waits for them, at most an hour. The batches of a team follow each other, and teams take turns. \`Prefer: handling=strict\` counts for each row. Rows and results are sealed at rest.`,
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  input: 'deciding',
  body: IssueBatch,
  bodyTypes: ['application/x-ndjson'],
  bodyUnread: true,
  limits: { bodyBytes: BATCH_BYTES },
  examples: {
    'Two graduates, one of them with an SD-JWT': {
      rows: [
        {
          revocable: true,
          credential: { issuer: EXAMPLE.issuer, subject: { id: 'did:example:ada', degree: 'M.Sc. Physics' } },
        },
        {
          format: 'sdjwt',
          credential: { issuer: EXAMPLE.issuer, subject: { id: 'did:example:emmy', degree: 'M.Sc. Mathematics' } },
        },
      ],
    },
  },
  response: { 200: BatchStarted },
  handler: async (ctx, { body }) => {
    if (!(body instanceof UnreadBody)) throw new Error('the body was read')
    const { bytes, isLines } = body
    const seal = ctx.random.uuid()
    const task = { body: { bytes, isLines }, depthLimit: ctx.config.limits.jsonDepth, key: batchKey(ctx), seal }
    const rows = await ctx.rest(() => ctx.batchRows.read(ctx.team, task))
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await requireRoom(tx, ctx.team)
      const job = await startJob(tx, ctx, { kind: BATCH_JOB, parts: [] })
      await insertBatch(tx, ctx, { job: job.id, seal, rows })
      await tx.audit({ action: 'issueBatch', subject: job.id, after: { rows: rows.length } })
      return tx.answer(jobStarted(ctx, job, { total: rows.length }))
    })
  },
})
