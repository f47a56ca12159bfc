import type { TeamId } from '../../platform/database/ids.js'
import { RowThreads } from '../../platform/process/row-threads.js'
import type { RowsTask, SealedRows } from './batch-rows.worker.js'

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
  const threads = new RowThreads<RowsTask, SealedRows>({
    from: import.meta.url,
    module: './batch-rows.worker',
    hungMs: 60_000,
  })
  return {
    async read(team, task) {
      const { bytes, ends } = await threads.read(`team ${team}`, task)
      return ends.map((end, index) => Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)))
    },
    close: () => threads.close(),
  }
}
