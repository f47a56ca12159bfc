import { Type } from 'typebox'
import { AtQuery } from '../../ledger/read/at.js'
import { SchemaRefs } from '../../platform/http/identifiers.js'
import { operation } from '../../platform/http/operation.js'
import { hashesOf, parseSchemaIds } from '../names/schema-ref.js'
import { readPoint } from '../read-point.js'
import { ownIssuersOf } from './registry-schemas.queries.js'

export const listSchemaDids = operation({
  method: 'GET',
  url: '/trust-registries/schema-dids',
  operationId: 'listSchemaDids',
  tags: ['trustRegistries'],
  summary: 'Tell which of your DIDs may issue which schemas in some trust registry',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Type.Object({
    ids: SchemaRefs,
    ...AtQuery.properties,
  }),
  response: {
    200: Type.Array(
      Type.Object({
        schema: Type.String({ description: 'The URI, or the hash' }),
        dids: Type.Array(Type.String(), { description: 'DIDs of yours that may issue it' }),
      }),
    ),
  },
  errors: ['ledger_unavailable'],
  handler: async (ctx, { query }) => {
    const refs = parseSchemaIds(query.ids)
    const point = await readPoint(ctx, query.at)
    const dids = await ctx.db.read(ctx.scope, (reader) => ownIssuersOf(reader, point, hashesOf(refs), ctx.team))
    return refs.map(({ hash, uri }) => ({ schema: uri ?? hash, dids: dids.get(hash) ?? [] }))
  },
})
