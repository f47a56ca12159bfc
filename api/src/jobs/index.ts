import type { Capability } from '../platform/http/operation.js'
import { getJob } from './get-job.js'

export const jobs: Capability = { operations: [getJob] }
