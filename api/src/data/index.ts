import type { Capability } from '../capability.js'
import { sweepOrphans } from './deletion/sweep-orphans.js'
import { forgetSubjectRefs } from './retention/forget-subject-refs.js'
import { sweepKeptData } from './retention/sweep-kept-data.js'
import { startForgetting } from './start-forgetting.js'
import { foldUsage } from './usage/fold-usage.js'

export const data: Capability = {
  name: 'data',
  operations: async () => (await import('./operations.js')).data,
  sweeps: { regular: [foldUsage], tenMinutes: [sweepKeptData, forgetSubjectRefs], daily: [sweepOrphans] },
  leaders: [startForgetting],
}
