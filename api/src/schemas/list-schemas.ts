import { type Static, Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { ecosystemSchemas } from './ecosystem-schemas.js'
import { SchemaRecord } from './schema.shape.js'
import { listRecords } from './schema.store.js'
import { schemaRecordText } from './schema-record.js'

const SchemaPage = Type.Array(SchemaRecord)

export const listSchemas = operation({
  method: 'GET',
  url: '/schemas',
  operationId: 'listSchemas',
  tags: ['schemas'],
  summary: 'List schemas, newest first',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery().properties,
    includeEcosystems: Type.Boolean({
      default: true,
      description: 'Also schemas of ecosystems that your DIDs take part in',
    }),
  }),
  response: { 200: Type.Unsafe<Static<typeof SchemaPage> | string>(SchemaPage) },
  handler: async (ctx, { query }) => {
    const rows = await ctx.db.read(ctx.scope, async (reader) => {
      const hashes = query.includeEcosystems ? await ecosystemSchemas(reader) : []
      return listRecords(reader, ctx.team, hashes, query)
    })
    ctx.reply.type('application/json; charset=utf-8')
    return `[${rows.map((row) => schemaRecordText(row, ctx.team)).join(',')}]`
  },
})
