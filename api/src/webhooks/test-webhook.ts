import { NothingToSay, operation } from '../platform/http/operation.js'
import { WebhookParams } from './webhook.shape.js'
import { lockEnabled } from './webhook.store.js'

export const testWebhook = operation({
  method: 'POST',
  url: '/webhooks/:id/test',
  operationId: 'testWebhook',
  tags: ['webhooks'],
  summary: 'Send a test event',
  description:
    'The event webhook_test is sent to this web hook alone, whatever it asks for. The log tells what came of it.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: WebhookParams,
  response: { 200: NothingToSay },
  errors: ['not_found', 'conflict'],
  handler: (ctx, { params: { id } }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await lockEnabled(tx, ctx.team, id)
      await tx.emitAll([{ team: ctx.team, event: 'webhook_test', data: { id }, webhook: id }])
      await tx.audit({ action: 'testWebhook', subject: id, changes: 'nothing' })
      return tx.answer({})
    }),
})
