import type { Capability } from '../capability.js'
import { SCHEMA_EVENTS } from './schema.events.js'

export const schemas: Capability = {
  name: 'schemas',
  operations: async () => (await import('./operations.js')).schemas,
  events: SCHEMA_EVENTS,
}
