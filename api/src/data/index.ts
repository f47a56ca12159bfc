import type { Capability } from '../capability.js'

export const data: Capability = {
  name: 'data',
  operations: async () => (await import('./operations.js')).data,
  sweeps: {},
}
