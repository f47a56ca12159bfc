import type { Capability } from '../capability.js'
import { forgetIncidents, sweepHealth } from './check-health.js'

export const health: Capability = {
  name: 'health',
  operations: async () => (await import('./operations.js')).health,
  sweeps: { slow: [sweepHealth], daily: [forgetIncidents] },
}
