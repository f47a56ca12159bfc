import type { Capability } from '../capability.js'
import { CREDENTIAL_EVENTS } from './credential.events.js'

export const credentials: Capability = {
  name: 'credentials',
  operations: async () => (await import('./operations.js')).credentials,
  events: CREDENTIAL_EVENTS,
}
