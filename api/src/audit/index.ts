import type { Capability } from '../capability.js'

export const audit: Capability = {
  name: 'audit',
  operations: async () => (await import('./operations.js')).audit,
}
