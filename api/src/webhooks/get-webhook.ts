import { operation } from '../platform/http/operation.js'
import { Webhook, WebhookParams } from './webhook.shape.js'
import { requireWebhook } from './webhook.store.js'
import { webhookRecord } from './webhook-record.js'

export const getWebhook = operation({
  method: 'GET',
  url: '/webhooks/:id',
  operationId: 'getWebhook',
  tags: ['webhooks'],
  summary: 'Get a web hook',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: WebhookParams,
  response: { 200: Webhook },
  errors: ['not_found'],
  handler: async (ctx, { params }) =>
    webhookRecord(ctx, await ctx.db.read(ctx.scope, (reader) => requireWebhook(reader, ctx.team, params.id))),
})
