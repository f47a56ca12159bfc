import { Type } from 'typebox'
import { operation } from '../platform/operation.js'
import { pageQuery } from '../platform/pagination.js'
import { CredentialMetadata } from './credential.shape.js'
import { listCredentials as list } from './credential.store.js'
import { metadataOf } from './credential-metadata.js'
import { revokedAmong } from './revoked.js'

export const listCredentials = operation({
  method: 'GET',
  url: '/credentials',
  operationId: 'listCredentials',
  tags: ['credentials'],
  summary: 'List the credentials that you issued',
  auth: 'key',
  tenancy: 'owned',
  querystring: Type.Object({
    ...pageQuery(100).properties,
    filter: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'Text to find in id, subject reference, issuer, type, or in the date of creation or issue',
      }),
    ),
  }),
  response: { 200: Type.Array(CredentialMetadata) },
  errors: ['ledger_unavailable'],
  handler: async (ctx, { query: { offset, limit, filter } }) => {
    const rows = await ctx.db.read(ctx.scope, (reader) => list(reader, ctx.team, filter, { offset, limit }))
    const isRevoked = await revokedAmong(ctx, rows)
    return rows.map((row) => metadataOf(row, isRevoked(row)))
  },
})
