import type { Served } from '../platform/http/operation.js'
import { getJob } from './get-job.js'
import { listJobs } from './list-jobs.js'
import { type Reruns, retryJobWith } from './retry-job.js'
import { watchJob } from './watch-job.js'

/** @param reruns the kinds of jobs that can be begun anew, of all capabilities */
export const jobsWith = (reruns: () => Reruns): Served => ({
  operations: [getJob, listJobs, retryJobWith(reruns), watchJob],
})
