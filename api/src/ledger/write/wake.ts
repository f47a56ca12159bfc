import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../../platform/database/database.js'
import { WORK_CHANNEL } from './channels.js'

type Wake = () => void

let wake: Wake = () => undefined

/** Set once by each process: how a committed job tells the worker. */
export function onWake(run: Wake): void {
  wake = run
}

/** A hint only: the row is the truth, and the worker looks by itself too. */
export function wakeWorker(): void {
  wake()
}

export interface Waker {
  /** Tells the worker that there is work. Merges many calls of a moment into one. Never throws. */
  wake(): void
  close(): Promise<void>
}

const GATHER_MS = 3
/** Commits within it travel together: under load there are no more rounds of the worker than it can use. */
const APART_MS = 25

const tellOfWork = sql`select pg_notify(${WORK_CHANNEL}, '')`

/**
 * Wakes the worker, in whatever process it is, by a notification.
 * @param notify the statement that sends it
 */
export function openWaker(db: Pick<Database, 'call'>, log: Logger, notify: RawBuilder<unknown> = tellOfWork): Waker {
  let waiting: NodeJS.Timeout | undefined
  let toldAt = Number.NEGATIVE_INFINITY
  let telling: Promise<unknown> = Promise.resolve()
  const tell = (): void => {
    waiting = undefined
    toldAt = performance.now()
    telling = db
      .call(notify)
      .catch((error: unknown) => log.warn({ err: error }, 'the worker was not woken; it finds its work by itself'))
  }
  return {
    wake() {
      waiting ??= setTimeout(tell, Math.max(GATHER_MS, toldAt + APART_MS - performance.now()))
    },
    async close() {
      clearTimeout(waiting)
      await telling
    },
  }
}
