import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { Webhook } from './webhook.shape.js'
import { ownWebhooks } from './webhook.store.js'
import { webhookRecord } from './webhook-record.js'

export const listWebhooks = operation({
  method: 'GET',
  url: '/webhooks',
  operationId: 'listWebhooks',
  tags: ['webhooks'],
  summary: 'List your web hooks, newest first',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  querystring: pageQuery(),
  response: { 200: Type.Array(Webhook) },
  handler: async (ctx, { query }) => {
    const rows = await ctx.db.read(ctx.scope, (reader) => ownWebhooks(reader, ctx.team, query))
    return rows.map((row) => webhookRecord(ctx, row))
  },
})
