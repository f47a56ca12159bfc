import pg from 'pg'

/** Wakes the requests that wait for the index. A notice is a hint; looking again now and then is the safety net. */
export interface IndexWatch {
  /** Checks until `isThere`, at each notice and every 250 ms; false when `waitMs` are over. */
  until(isThere: () => Promise<boolean>, waitMs: number): Promise<boolean>
  close(): Promise<void>
}

const LOOK_AGAIN_MS = 250

export function openIndexWatch(databaseUrl: string): IndexWatch {
  const waiting = new Set<() => void>()
  let listener: pg.Client | undefined
  let closed = false

  const wakeAll = (): void => {
    for (const wake of waiting) wake()
  }

  /** The connection is made at the first wait; a lost one is made again at the next wait. */
  const listen = async (): Promise<void> => {
    if (listener !== undefined || closed) return
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'accredit-index-watch' })
    listener = client
    const lost = (): void => {
      if (listener === client) listener = undefined
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', wakeAll)
    try {
      await client.connect()
      await client.query('LISTEN ledger_block')
    } catch {
      lost()
      await client.end().catch(() => undefined)
    }
  }

  const next = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      waiting.add(wake)
    })

  return {
    async until(isThere, waitMs) {
      const end = performance.now() + waitMs
      void listen()
      for (;;) {
        // The wait is registered before looking: a notice between looking and waiting is not lost.
        const left = end - performance.now()
        const woken = next(Math.max(0, Math.min(left, LOOK_AGAIN_MS)))
        if (await isThere()) return true
        if (left <= 0) return false
        await woken
      }
    },
    async close() {
      closed = true
      wakeAll()
      await listener?.end().catch(() => undefined)
    },
  }
}
