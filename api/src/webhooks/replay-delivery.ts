import { ApiError, notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { Delivery, DeliveryParams, deliveryRecord } from './delivery.shape.js'
import { replayOne } from './delivery.store.js'
import { lockEnabled, tellAfterCommit } from './webhook.store.js'

export const replayWebhookDelivery = operation({
  method: 'POST',
  url: '/webhooks/:id/deliveries/:deliveryId/replay',
  operationId: 'replayWebhookDelivery',
  tags: ['webhooks'],
  summary: 'Send an event once more',
  description: 'It keeps its id, and is outside the order of its resource. One that waits still is 409.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: DeliveryParams,
  response: { 200: Delivery },
  errors: ['not_found', 'conflict'],
  handler: (ctx, { params: { id, deliveryId } }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await lockEnabled(tx, ctx.team, id)
      const row = await replayOne(tx, id, deliveryId)
      if (row === undefined) throw notFound('Delivery')
      if (row === 'waiting') throw new ApiError('conflict', 'It waits still, and will be sent')
      await tx.audit({
        action: 'replayWebhookDelivery',
        subject: id,
        detail: { delivery: deliveryId },
        changes: 'nothing',
      })
      tellAfterCommit(tx, ctx)
      return tx.answer(deliveryRecord(row))
    }),
})
