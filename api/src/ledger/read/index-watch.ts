import type { Logger } from 'pino'
import { type Listener, listen } from '../../platform/database/listen.js'

/** Wakes the requests that wait for the index. A notice is a hint; looking again now and then is the safety net. */
export interface IndexWatch {
  /** Checks until `isThere`, at each notice and every two seconds; false when `waitMs` are over. */
  until(isThere: () => Promise<boolean>, waitMs: number): Promise<boolean>
  close(): Promise<void>
}

/** The notices of the indexer: the present is its newest block, or on a network the newest final one. */
const CHANNELS = ['ledger_block', 'ledger_final']
const LOOK_AGAIN_MS = 2000

export function openIndexWatch(databaseUrl: string, log: Logger): IndexWatch {
  const waiting = new Set<() => void>()
  let ear: Listener | undefined
  let isClosed = false

  const wakeAll = (): void => {
    for (const wake of waiting) wake()
  }

  /** A wait for the next notice, which `wake` ends before. */
  function nextNotice(ms: number): { woken: Promise<void>; wake: () => void } {
    let wake = (): void => undefined
    const woken = new Promise<void>((resolve) => {
      wake = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        resolve()
      }
    })
    const timer = setTimeout(wake, ms)
    waiting.add(wake)
    return { woken, wake }
  }

  return {
    async until(isThere, waitMs) {
      const end = performance.now() + waitMs
      // The connection is made at the first wait; it tells when it listens.
      if (!isClosed) ear ??= listen(databaseUrl, CHANNELS, wakeAll, log)
      for (;;) {
        // The wait is registered before looking: a notice between looking and waiting is not lost.
        const left = end - performance.now()
        const { woken, wake } = nextNotice(Math.max(0, Math.min(left, LOOK_AGAIN_MS)))
        try {
          if (await isThere()) return true
          if (left <= 0) return false
          await woken
        } finally {
          wake()
        }
      }
    },
    async close() {
      isClosed = true
      wakeAll()
      await ear?.close()
    },
  }
}
