import type { Capability } from '../capability.js'

export const vcApi: Capability = {
  name: 'vc-api',
  operations: async () => (await import('./operations.js')).vcApi,
}
