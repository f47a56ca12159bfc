import type { TeamId } from '../../platform/database/ids.js'
import { RowThreads } from '../../platform/process/row-threads.js'
import type { BulkPlan, BulkTask } from './bulk.worker.js'

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
  const threads = new RowThreads<BulkTask, BulkPlan>({
    from: import.meta.url,
    module: './bulk.worker',
    hungMs: 120_000,
  })
  return {
    plan: (team, task) => threads.read(`team ${team}`, task),
    close: () => threads.close(),
  }
}
