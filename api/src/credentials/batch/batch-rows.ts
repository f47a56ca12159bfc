import type { TeamId } from '../../platform/database/ids.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { FairThreads } from '../../platform/process/fair-threads.js'
import type { RowsResult, RowsTask } from './batch-rows.worker.js'

/** Reads and seals the rows of batches, away from the thread that serves requests. */
export interface BatchRows {
  /**
   * @returns each row, sealed
   * @throws the faults of the body; 429 or 503 when too many requests wait
   */
  read(team: TeamId, task: RowsTask): Promise<Buffer[]>
  close(): Promise<void>
}

declare module '../../platform/http/context.js' {
  interface ContextServices {
    readonly batchRows: BatchRows
  }
}

export function openBatchRows(): BatchRows {
  const threads = new FairThreads<RowsTask, RowsResult>({
    from: import.meta.url,
    module: './batch-rows.worker',
    threads: 1,
    niceness: 10,
    hungMs: 60_000,
    memoryMb: 512,
    idleMs: 60_000,
  })
  return {
    async read(team, task) {
      const result = await threads.once(`team ${team}`, task, () =>
        invalid('The rows take too much to read: send fewer of them at once'),
      )
      if ('type' in result)
        throw new ApiError(result.type, result.message, { ...(result.members && { members: result.members }) })
      const { bytes, ends } = result
      return ends.map((end, index) => Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)))
    },
    close: () => threads.close(),
  }
}
