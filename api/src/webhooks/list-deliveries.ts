import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { pageQuery } from '../platform/http/pagination.js'
import { Delivery, DeliveryState, deliveryRecord } from './delivery.shape.js'
import { deliveriesOf } from './delivery.store.js'
import { WebhookParams } from './webhook.shape.js'
import { requireWebhook } from './webhook.store.js'

export const listWebhookDeliveries = operation({
  method: 'GET',
  url: '/webhooks/:id/deliveries',
  operationId: 'listWebhookDeliveries',
  tags: ['webhooks'],
  summary: 'List what a web hook was and will be sent, newest first',
  description: 'The events of the last seven days. What was sent is not shown; it can be replayed.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: WebhookParams,
  querystring: Type.Object({ ...pageQuery().properties, state: Type.Optional(DeliveryState) }),
  response: { 200: Type.Array(Delivery) },
  errors: ['not_found'],
  handler: async (ctx, { params: { id }, query: { state, ...page } }) => {
    const rows = await ctx.db.read(ctx.scope, async (reader) => {
      await requireWebhook(reader, ctx.team, id)
      return deliveriesOf(reader, id, { ...page, state })
    })
    return rows.map(deliveryRecord)
  },
})
