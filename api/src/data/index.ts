import type { Capability } from '../capability.js'
import { forgetSubjectRefs } from './retention/forget-subject-refs.js'
import { sweepKeptData } from './retention/sweep-kept-data.js'

export const data: Capability = {
  name: 'data',
  operations: async () => (await import('./operations.js')).data,
  sweeps: { tenMinutes: [sweepKeptData, forgetSubjectRefs] },
}
