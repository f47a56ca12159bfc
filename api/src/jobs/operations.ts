import type { Served } from '../platform/http/operation.js'
import { getJob } from './get-job.js'

export const jobs: Served = { operations: [getJob] }
