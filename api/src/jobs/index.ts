import type { Capability } from '../capability.js'

export const jobs: Capability = {
  name: 'jobs',
  operations: async () => (await import('./operations.js')).jobs,
}
