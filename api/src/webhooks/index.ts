import type { Capability } from '../capability.js'
import { callUpLeftBehind } from './delivering/delivery-results.js'
import { OWN_EVENTS } from './webhook-events.js'

export const webhooks: Capability = {
  name: 'webhooks',
  operations: async () => (await import('./operations.js')).webhooks,
  events: OWN_EVENTS,
  sweeps: { daily: [callUpLeftBehind] },
}
