import { openSync, readFileSync, readlinkSync, readSync } from 'node:fs'

const { statistics, id } = ofThisThread()
const text = Buffer.alloc(64)

/** The file stays open, since it is read before and after each piece of work; it tells of the thread that opened it. */
function ofThisThread(): { statistics: number | undefined; id: number | undefined } {
  try {
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    return { statistics: openSync('/proc/thread-self/schedstat', 'r'), id: thread ? Number(thread) : undefined }
  } catch {
    return { statistics: undefined, id: undefined }
  }
}

const millisecondsIn = (line: string): number => Number.parseInt(line, 10) / 1e6

/**
 * Returns the milliseconds that this thread has had of a processor; where the system does not tell, the clock's. A busy
 * machine takes nothing from a thread that waits for its turn.
 */
export function runTime(): number {
  if (statistics === undefined) return performance.now()
  const length = readSync(statistics, text, 0, text.length, 0)
  return millisecondsIn(text.toString('latin1', 0, length))
}

/**
 * The note of a thread, for others, that a piece of work begins: its id, and its run time in microseconds; where the
 * system does not tell, the time of day.
 */
export type Beginning = BigInt64Array

const PLACES = { id: 0, microseconds: 1 } as const
const WITHOUT_ID = -1n

export const noBeginning = (): Beginning => new BigInt64Array(new SharedArrayBuffer(16))

export const hasBegun = (beginning: Beginning): boolean => Atomics.load(beginning, PLACES.id) !== 0n

export function noteBeginning(beginning: Beginning): void {
  const at = id === undefined ? Date.now() : runTime()
  Atomics.store(beginning, PLACES.microseconds, BigInt(Math.round(at * 1000)))
  Atomics.store(beginning, PLACES.id, id === undefined ? WITHOUT_ID : BigInt(id))
}

/**
 * Returns the milliseconds of run time that another thread has spent since it noted its beginning; 0 before that. Where
 * the system does not tell, the clock does.
 */
export function runTimeSince(beginning: Beginning): number {
  const thread = Atomics.load(beginning, PLACES.id)
  if (thread === 0n) return 0
  const begun = Number(Atomics.load(beginning, PLACES.microseconds)) / 1000
  if (thread === WITHOUT_ID) return Date.now() - begun
  try {
    return millisecondsIn(readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1')) - begun
  } catch {
    // A thread that has ended hangs no longer.
    return 0
  }
}
