import { Type } from 'typebox'
import { WEBHOOK_EVENT_NAMES } from './webhook-events.js'

const SUBSCRIBED = WEBHOOK_EVENT_NAMES.filter((name) => name !== 'webhook_test')

const url = {
  format: 'uri',
  minLength: 8,
  maxLength: 2048,
  description: 'The URL that events are posted to: https, at a public address, without a password',
}
const Url = Type.String(url)
const Description = Type.String({ maxLength: 1000, description: 'A note for yourselves' })
const Status = Type.Enum([0, 1], {
  description: '1: enabled; 0: disabled, it gets nothing, and what waits for it is given up',
})
const Events = Type.Array(Type.Enum(SUBSCRIBED), {
  maxItems: 100,
  description: 'The events that it gets; none when left out or empty. The reference describes each under webhooks',
})
const IncludePersonalData = Type.Boolean({
  description: 'False: members that hold personal data, as the credential itself, are left out of data',
})

export const Webhook = Type.Object({
  id: Type.String({ maxLength: 64, pattern: '^[0-9]+$', description: 'The id of the web hook' }),
  url: Type.String(url),
  description: Type.String({ description: 'A note for yourselves; empty when none was given' }),
  status: Status,
  events: Type.Array(Type.String(), { description: 'The events that it gets' }),
  created: Type.String({ format: 'date-time', description: 'The time at which it was made' }),
  secret: Type.String({ description: 'The token that stands in every body: who sends another is not this service' }),
  includePersonalData: IncludePersonalData,
  failingSince: Type.Union([Type.String(), Type.Null()], {
    description: 'The first failure since the last success; after five days the web hook is disabled',
  }),
  disabledReason: Type.Union([Type.String(), Type.Null()], {
    description: 'The reason for which the service disabled it',
  }),
})

export const WebhookWithSecret = Type.Object({
  ...Webhook.properties,
  signingSecret: Type.String({
    description: 'The secret that signs deliveries, as Standard Webhooks says; shown here alone',
  }),
})

export const WebhookRequest = Type.Object({
  url: Url,
  description: Type.Optional(Description),
  status: Type.Optional(Status),
  events: Type.Optional(Events),
  includePersonalData: Type.Optional(IncludePersonalData),
})

export const WebhookParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[0-9]+$', description: 'The id of the web hook' }),
})
