import { Type } from 'typebox'
import { operation } from '../platform/operation.js'
import { pageQuery } from '../platform/pagination.js'
import { ecosystemSchemas } from './ecosystem-schemas.js'
import { SchemaRecord } from './schema.shape.js'
import { listRecords } from './schema.store.js'
import { schemaRecord } from './schema-record.js'

export const listSchemas = operation({
  method: 'GET',
  url: '/schemas',
  operationId: 'listSchemas',
  tags: ['schemas'],
  summary: 'List schemas, newest first',
  auth: 'key',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery().properties,
    includeEcosystems: Type.Boolean({
      default: true,
      description: 'Also schemas of ecosystems that your DIDs take part in',
    }),
  }),
  response: { 200: Type.Array(SchemaRecord) },
  handler: (ctx, { query }) =>
    ctx.db.read(ctx.scope, async (reader) => {
      const hashes = query.includeEcosystems ? await ecosystemSchemas(reader) : []
      const rows = await listRecords(reader, ctx.team, hashes, query)
      return rows.map((row) => schemaRecord(row, ctx.team))
    }),
})
