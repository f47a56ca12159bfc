import { holdStanding } from '../accounts/standing.js'
import { operation } from '../platform/http/operation.js'
import { requireReceiver } from './receiver-url.js'
import { Webhook, WebhookParams, WebhookRequest } from './webhook.shape.js'
import { factsOf, giveUpWaiting, lockWebhook } from './webhook.store.js'
import { webhookRecord } from './webhook-record.js'

export const updateWebhook = operation({
  method: 'PATCH',
  url: '/webhooks/:id',
  operationId: 'updateWebhook',
  tags: ['webhooks'],
  summary: 'Change a web hook, enable or disable it',
  description:
    'Members that are left out stay as they are. A disabled web hook gets nothing, later neither, of what happens meanwhile; what waited for it can be replayed. Its secrets stay.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: WebhookParams,
  body: WebhookRequest,
  examples: { 'Disable it': { url: 'https://hooks.example.org/accredit', status: 0 } },
  response: { 200: Webhook },
  errors: ['not_found'],
  handler: async (ctx, { params: { id }, body }) => {
    await requireReceiver(ctx, body.url)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const before = await lockWebhook(tx, ctx.team, id)
      const status = body.status ?? before.status
      const isEnabled = status === 1 && before.status === 0
      const row = await tx
        .updateTable('webhooks')
        .set({
          url: body.url,
          description: body.description ?? before.description,
          status,
          events: body.events ? [...new Set(body.events)] : before.events,
          personal_data: body.includePersonalData ?? before.personal_data,
          ...(isEnabled && { failing_since: null, disabled_reason: null }),
        })
        .where('team_id', '=', ctx.team)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      // Events that were stored while it was being disabled may wait still when it is enabled.
      if (status === 0 || isEnabled) await giveUpWaiting(tx, id)
      await tx.audit({ action: 'updateWebhook', subject: id, before: factsOf(before), after: factsOf(row) })
      return tx.answer(webhookRecord(ctx, row))
    })
  },
})
