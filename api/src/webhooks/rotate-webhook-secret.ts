import { holdStanding } from '../accounts/standing.js'
import { operation } from '../platform/http/operation.js'
import { WebhookParams, WebhookWithSecret } from './webhook.shape.js'
import { lockWebhook } from './webhook.store.js'
import { withSecret } from './webhook-record.js'
import { openSecrets, rotated, sealSecrets } from './webhook-secrets.js'

export const rotateWebhookSecret = operation({
  method: 'POST',
  url: '/webhooks/:id/rotate-secret',
  operationId: 'rotateWebhookSecret',
  tags: ['webhooks'],
  summary: 'Give a web hook another signing secret',
  description:
    'For 24 hours deliveries carry a signature by the one before too, so that receivers can change. The token of the body stays.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: WebhookParams,
  response: { 200: WebhookWithSecret },
  errors: ['not_found'],
  secretAnswer: true,
  handler: (ctx, { params: { id } }) =>
    ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      const row = await lockWebhook(tx, ctx.team, id)
      const secrets = rotated(ctx, openSecrets(ctx, row), ctx.clock.now())
      const sealed = sealSecrets(ctx, { team: ctx.team, id }, secrets)
      await tx.updateTable('webhooks').set({ sealed }).where('team_id', '=', ctx.team).where('id', '=', id).execute()
      await tx.audit({ action: 'rotateWebhookSecret', subject: id, after: { secrets: 'rotated' } })
      return withSecret(ctx, row, secrets)
    }),
})
