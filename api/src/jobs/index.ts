import type { Capability } from '../capability.js'
import type { Reruns } from './retry-job.js'

/** @param reruns the kinds of jobs that can be begun anew, of all capabilities */
export const jobsWith = (reruns: () => Reruns): Capability => ({
  name: 'jobs',
  operations: async () => (await import('./operations.js')).jobsWith(reruns),
})
