import { answerAt } from '../ledger/read/at.js'
import { knownOnLedgerSince } from '../ledger/read/registries/registry-schemas.js'
import { notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { SchemaParams, SchemaRecord } from './schema.shape.js'
import { findRecord, findSchema, hashOf } from './schema.store.js'
import { schemaRecord, unhostedRecord } from './schema-record.js'

export const getSchema = operation({
  method: 'GET',
  url: '/schemas/:schemaId',
  operationId: 'getSchema',
  tags: ['schemas'],
  summary: 'Get a schema by its URI or hash',
  description:
    'Schemas are public: any key may read any of them. Of one that only the ledger knows there is no document: its hash stands for it, and the answer names its block.',
  auth: 'key',
  role: 'member',
  tenancy: 'public',
  namesBlock: true,
  params: SchemaParams,
  response: { 200: SchemaRecord },
  errors: ['not_found', 'ledger_unavailable'],
  handler: async (ctx, { params }) => {
    const hash = hashOf(params.schemaId)
    const row = await ctx.db.read(ctx.scope, (reader) => findRecord(reader, hash))
    if (row !== undefined) return schemaRecord(row, ctx.team)
    const at = await answerAt(ctx, undefined)
    return ctx.db.read(ctx.scope, async (reader) => {
      const since = await knownOnLedgerSince(reader, hash, at)
      if (since === undefined || (await findSchema(reader, hash)) !== undefined) throw notFound('Schema')
      return unhostedRecord(hash, since)
    })
  },
})
