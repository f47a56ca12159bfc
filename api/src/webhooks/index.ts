import type { Capability } from '../capability.js'
import { EVENTS_CHANNEL } from '../platform/database/outgoing-events.js'
import { callUpLeftBehind } from './delivering/delivery-results.js'
import { startDeliveries } from './delivering/start-deliveries.js'
import { OWN_EVENTS } from './webhook-events.js'

export const webhooks: Capability = {
  name: 'webhooks',
  operations: async () => (await import('./operations.js')).webhooks,
  events: OWN_EVENTS,
  runners: [(environment) => ({ channel: EVENTS_CHANNEL, loop: startDeliveries(environment) })],
  sweeps: { tenMinutes: [callUpLeftBehind] },
}
