import type { Capability } from '../capability.js'

export const trqp: Capability = {
  name: 'trqp',
  operations: async () => (await import('./operations.js')).trqp,
}
