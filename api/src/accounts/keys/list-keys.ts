import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { ApiKey } from './key.shape.js'
import { keysOf } from './key.store.js'

export const listKeys = operation({
  method: 'GET',
  url: '/keys',
  operationId: 'listKeys',
  tags: ['keys'],
  summary: 'List the keys of your team that open something',
  description: 'Newest first. No answer holds a key itself: a lost one is replaced by another.',
  auth: 'account',
  role: 'administrator',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: { 200: Type.Array(ApiKey) },
  handler: (ctx, { query }) => ctx.db.read(ctx.scope, (reader) => keysOf(reader, ctx.team, query, ctx.clock.now())),
})
