import type { TeamId } from '../../platform/database/ids.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { FairThreads } from '../../platform/process/fair-threads.js'
import type { BulkPlan, BulkResult, BulkTask } from './bulk.worker.js'

/** Reads the rows of bulk requests and plans their calls, away from the thread that serves requests. */
export interface BulkPlans {
  /** @throws the faults of the body, naming the bad rows; 429 or 503 when too many requests wait */
  plan(team: TeamId, task: BulkTask): Promise<BulkPlan>
  close(): Promise<void>
}

declare module '../../platform/http/context.js' {
  interface ContextServices {
    readonly bulkPlans: BulkPlans
  }
}

export function openBulkPlans(): BulkPlans {
  const threads = new FairThreads<BulkTask, BulkResult>({
    from: import.meta.url,
    module: './bulk.worker',
    threads: 1,
    niceness: 10,
    hungMs: 120_000,
    memoryMb: 512,
    idleMs: 60_000,
  })
  return {
    async plan(team, task) {
      const result = await threads.once(`team ${team}`, task, () =>
        invalid('The rows take too much to read: send fewer of them at once'),
      )
      if ('entries' in result) return result
      throw new ApiError(result.type, result.message, { ...(result.members && { members: result.members }) })
    },
    close: () => threads.close(),
  }
}
