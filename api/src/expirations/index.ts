import type { Capability } from '../capability.js'
import { EXPIRATION_EVENTS, tellExpiring, tellFilling } from './tell-expiring.js'

export const expirations: Capability = {
  name: 'expirations',
  operations: async () => (await import('./operations.js')).expirations,
  sweeps: { regular: [tellExpiring], daily: [tellFilling] },
  events: EXPIRATION_EVENTS,
}
