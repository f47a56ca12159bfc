import { Type } from 'typebox'
import { invalid } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { replayRange } from './delivery.store.js'
import { WebhookParams } from './webhook.shape.js'
import { lockEnabled, tellAfterCommit } from './webhook.store.js'

export const replayWebhookDeliveries = operation({
  method: 'POST',
  url: '/webhooks/:id/replay',
  operationId: 'replayWebhookDeliveries',
  tags: ['webhooks'],
  summary: 'Send all events of a time once more',
  description:
    'They keep their ids, and are outside the order of their resources. Those that wait still are sent as they would be. Events are kept for seven days.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  input: 'deciding',
  params: WebhookParams,
  body: Type.Object({
    from: Type.String({ format: 'date-time', description: 'The time of the first event' }),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'The time of the last event; now when left out' }),
    ),
    state: Type.Optional(
      Type.Enum(['delivered', 'dead'], { description: 'Those that were delivered, or given up; both when left out' }),
    ),
  }),
  examples: {
    'What was given up since midnight': { from: '2026-01-31T00:00:00Z', state: 'dead' },
    'An hour': { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00Z' },
  },
  response: { 200: Type.Object({ count: Type.Integer({ description: 'The number of events that are sent again' }) }) },
  errors: ['not_found', 'conflict'],
  handler: (ctx, { params: { id }, body }) => {
    const from = new Date(body.from)
    const to = body.to === undefined ? ctx.clock.now() : new Date(body.to)
    if (from > to) throw invalid('from is later than to', { field: 'from' })
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await lockEnabled(tx, ctx.team, id)
      const count = await replayRange(tx, id, { from, to, state: body.state })
      await tx.audit({ action: 'replayWebhookDeliveries', subject: id, detail: { count }, changes: 'nothing' })
      tellAfterCommit(tx, ctx)
      return tx.answer({ count })
    })
  },
})
