import { holdStanding } from '../accounts/standing.js'
import { operation } from '../platform/http/operation.js'
import { requireReceiver, tooMany } from './receiver-url.js'
import { WebhookRequest, WebhookWithSecret } from './webhook.shape.js'
import { factsOf, hasRoom } from './webhook.store.js'
import { withSecret } from './webhook-record.js'
import { newSecrets, sealSecrets } from './webhook-secrets.js'

export const createWebhook = operation({
  method: 'POST',
  url: '/webhooks',
  operationId: 'createWebhook',
  tags: ['webhooks'],
  summary: 'Have events sent to a URL',
  description:
    'Each event is posted as { token, event, data }, where token is the secret of the web hook, and signed as Standard Webhooks says with signingSecret, which is shown here alone. A receiver answers 2xx within ten seconds; otherwise it is tried again for 24 hours. It gets every event at least once: the same webhook-id is the same event. Events of one thing (a credential, a DID, a registry) come in their order.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  body: WebhookRequest,
  examples: {
    'Credentials and DIDs': {
      url: 'https://hooks.example.org/accredit',
      description: 'The student office',
      events: ['credential_issued', 'did_create'],
    },
    'Without personal data': {
      url: 'https://hooks.example.org/statistics',
      events: ['credential_issued'],
      includePersonalData: false,
    },
  },
  response: { 200: WebhookWithSecret },
  errors: ['too_many'],
  secretAnswer: true,
  handler: async (ctx, { body }) => {
    await requireReceiver(ctx, body.url)
    const id = ctx.random.decimalId()
    const secrets = newSecrets(ctx)
    const row = await ctx.db.transaction(ctx.scope, async (tx) => {
      await holdStanding(tx, ctx)
      if (!(await hasRoom(tx, ctx.team))) throw tooMany()
      const made = await tx
        .insertInto('webhooks')
        .values({
          id,
          team_id: ctx.team,
          url: body.url,
          description: body.description ?? '',
          status: body.status ?? 1,
          events: [...new Set(body.events)],
          personal_data: body.includePersonalData ?? true,
          sealed: sealSecrets(ctx, { team: ctx.team, id }, secrets),
          created: ctx.clock.now(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await tx.audit({ action: 'createWebhook', subject: id, after: factsOf(made) })
      return made
    })
    return withSecret(ctx, row, secrets)
  },
})
