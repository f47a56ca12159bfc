import { type Static, Type } from 'typebox'
import type { DeliveryRow } from './delivery.store.js'
import { WebhookParams } from './webhook.shape.js'

const State = Type.Enum(['waiting', 'delivered', 'dead'], {
  description: 'waiting: for its first or next try; delivered: the receiver answered 2xx; dead: given up',
})

export const Delivery = Type.Object({
  id: Type.String({ description: 'The webhook-id that the receiver gets, the same in every try and replay' }),
  event: Type.String({ description: 'The name of the event' }),
  state: State,
  created: Type.String({ format: 'date-time', description: 'The time of the event' }),
  isReplay: Type.Boolean({ description: 'Whether it was asked for again, outside the order' }),
  nextTry: Type.Union([Type.String(), Type.Null()], {
    description:
      'The time of the next try; null when none is due, or when it waits for an earlier event of its resource',
  }),
  tries: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time', description: 'The time at which it began' }),
      status: Type.Union([Type.Integer(), Type.Null()], { description: 'The status of the answer; null without one' }),
      error: Type.Union([Type.String(), Type.Null()], { description: 'The reason for which there was no answer' }),
      ms: Type.Integer({ description: 'The time that it took, in milliseconds' }),
    }),
    { description: 'The last 20 tries, the oldest first' },
  ),
})

export const DeliveryState = State

export const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: Type.String({
    maxLength: 64,
    pattern: '^msg_[0-9a-f]{32}$',
    description: 'The id of the delivery, as the log names it',
  }),
})

export function deliveryRecord(row: DeliveryRow): Static<typeof Delivery> {
  // Rows that are due at once, or after others, have an infinite time.
  const next = row.state === 'waiting' && row.due instanceof Date ? row.due.toISOString() : null
  return {
    id: row.message,
    event: row.event,
    state: row.state,
    created: row.created.toISOString(),
    isReplay: row.is_replay,
    nextTry: next,
    tries: row.log,
  }
}
