import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { WebhookParams } from './webhook.shape.js'
import { factsOf, lockWebhook } from './webhook.store.js'

export const deleteWebhook = operation({
  method: 'DELETE',
  url: '/webhooks/:id',
  operationId: 'deleteWebhook',
  tags: ['webhooks'],
  summary: 'Delete a web hook',
  description: 'Its secrets and its log go with it, and what waits for it is not sent. The answer has no content.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: WebhookParams,
  response: { 200: Type.Undefined() },
  answers: { 200: {} },
  errors: ['not_found'],
  handler: (ctx, { params: { id } }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      const before = await lockWebhook(tx, ctx.team, id)
      await tx.deleteFrom('webhooks').where('team_id', '=', ctx.team).where('id', '=', id).execute()
      await tx.audit({ action: 'deleteWebhook', subject: id, before: factsOf(before) })
      return tx.answer(undefined)
    }),
})
