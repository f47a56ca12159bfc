import { resolveAt } from '../ledger/read/at.js'
import { isListedSince } from '../ledger/read/registries/registry-schemas.js'
import { jobStarted, NO_JOB } from '../ledger/write/wait-for-job.js'
import { invalid, notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { SchemaDeletion, SchemaParams } from './schema.shape.js'
import { hashOf, removeSchema } from './schema.store.js'

export const deleteSchema = operation({
  method: 'DELETE',
  url: '/schemas/:schemaId',
  operationId: 'deleteSchema',
  tags: ['schemas'],
  summary: 'Delete a schema',
  description:
    'Refused while an ecosystem uses it. The record is gone; the hosted document and context stay where they are, since credentials that were issued with them point there.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: SchemaParams,
  response: { 200: SchemaDeletion },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    const present = await resolveAt(ctx.index, undefined, ctx.clock)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const hash = hashOf(params.schemaId)
      const id = await removeSchema(tx, ctx.team, hash, ctx.clock.now())
      if (id === undefined) throw notFound('Schema')
      if (await isListedSince(tx, hash, present))
        throw invalid('The schema is used by an ecosystem: remove it there first')
      await tx.audit({ action: 'deleteSchema', subject: id, before: { listed: true }, after: { listed: false } })
      return tx.answer(jobStarted(ctx, NO_JOB, { status: 'pending' }))
    })
  },
})
