import type { Capability } from '../capability.js'
import { copyLogos } from './logo-copies.js'
import { sweepLogos } from './logo-sweep.js'

export const profiles: Capability = {
  name: 'profiles',
  operations: async () => (await import('./operations.js')).profiles,
  sweeps: { slow: [copyLogos], daily: [sweepLogos] },
}
