import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { RegistryRecord, registryRecord } from './registry.shape.js'
import { listRegistries as list } from './registry.store.js'

const Query = Type.Object({
  ...pageQuery().properties,
  did: Type.Optional(Type.String({ maxLength: 256, description: 'Only registries whose policy holds this DID' })),
  type: Type.Optional(Type.String({ maxLength: 64, description: 'Only registries of this type' })),
})

export const listRegistries = operation({
  method: 'GET',
  url: '/registries',
  operationId: 'listRegistries',
  tags: ['registries'],
  summary: 'List your revocation registries',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: Query,
  response: { 200: Type.Array(RegistryRecord) },
  handler: async (ctx, { query }) => {
    const { offset, limit, did, type } = query
    const filter = { ...(did !== undefined && { did }), ...(type !== undefined && { type }) }
    const rows = await ctx.db.read(ctx.scope, (reader) => list(reader, ctx.team, filter, { offset, limit }))
    return rows.map(registryRecord)
  },
})
