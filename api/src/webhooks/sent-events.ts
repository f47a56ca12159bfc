import { Type } from 'typebox'
import type { SentMessage } from '../platform/http/operation.js'
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENTS } from './webhook-events.js'

const Headers = Type.Object({
  'webhook-id': Type.String({
    pattern: '^msg_[0-9a-f]{32}$',
    description: 'The id of the event for this receiver, the same in every try and replay',
  }),
  'webhook-timestamp': Type.String({ description: 'The time of this try, in seconds since 1970' }),
  'webhook-signature': Type.String({
    description:
      'v1, and the base64 of HMAC-SHA256 of <webhook-id>.<webhook-timestamp>.<body> by the signing secret; for a day after a rotation two of them, separated by a space',
  }),
})

/** The events as the reference describes them, in its order. */
export const sentEvents: SentMessage[] = WEBHOOK_EVENT_NAMES.map((name) => {
  const { summary, data, isFired } = WEBHOOK_EVENTS[name]
  return {
    name,
    summary,
    tags: ['webhooks'],
    isSent: isFired,
    headers: Headers,
    body: Type.Object({
      token: Type.String({ description: 'The secret of the web hook: who sends another is not this service' }),
      event: Type.Literal(name, { description: 'The name of the event' }),
      data,
    }),
  }
})
