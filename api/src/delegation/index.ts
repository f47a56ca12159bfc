import type { Capability } from '../capability.js'

export const delegation: Capability = {
  name: 'delegation',
  operations: async () => (await import('./operations.js')).delegation,
}
