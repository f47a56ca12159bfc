import { jobStarted, NO_JOB } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import { invalid } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { SchemaDocument, SchemaStarted } from './schema.shape.js'
import { insertSchema } from './schema.store.js'
import { schemaRecord } from './schema-record.js'
import { type JsonObject, nameOf, SchemaRefused } from './schema-rules.js'

export const createSchema = operation({
  method: 'POST',
  url: '/schemas',
  operationId: 'createSchema',
  tags: ['schemas'],
  summary: 'Host a JSON schema for credentials',
  description:
    'The body is the schema document. It gets a public address, which is its id, and a JSON-LD context. A document never changes: another version of it is another schema. At most 64 kB, nested at most 32 deep; at most 1,000 steps for one value, which is how many schemas apply to it over all ways through references, allOf, anyOf and oneOf; patterns in RE2 syntax; no references to other documents. Nothing is written to the ledger: the job is "0".',
  auth: 'key',
  tenancy: 'owned',
  body: SchemaDocument,
  response: { 200: SchemaStarted },
  codes: [400, 401, 402, 503],
  handler: async (ctx, { body }) => {
    const document = await accepted(ctx, body)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const now = ctx.clock.now()
      const row = await insertSchema(tx, { team: ctx.team, ...document, base: ctx.config.schemaUrl, now })
      await tx.audit({ action: 'createSchema', subject: row.id })
      await tx.emit('schema_create', { status: 'finalized', id: row.id })
      return tx.answer(jobStarted(ctx, NO_JOB, schemaRecord(row, ctx.team)))
    })
  },
})

/** The document and its name, when it is a schema that can be hosted. */
async function accepted(ctx: Context, body: JsonObject): Promise<{ name: string; document: JsonObject }> {
  const document = { ...body, name: body.name ?? body.title }
  try {
    const name = nameOf(document)
    await ctx.schemaChecks.accept(ctx.team, document)
    return { name, document }
  } catch (error) {
    if (error instanceof SchemaRefused) throw invalid(error.message)
    throw error
  }
}
