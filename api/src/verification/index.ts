import type { Capability } from '../capability.js'

export const verification: Capability = {
  name: 'verification',
  operations: async () => (await import('./operations.js')).verification,
}
