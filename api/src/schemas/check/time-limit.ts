import vm from 'node:vm'
import { runTime } from '../../platform/process/run-time.js'

const context = vm.createContext(Object.create(null))
const script = new vm.Script('task()')

/** Thrown when a piece of work did not end within its limit. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'
}

const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/**
 * Runs synchronous work, and stops it after so many milliseconds of run time. Schemas are written by strangers: a few
 * nested references can keep a validator busy for years, and no limit of size catches that. Costs about 40 µs a call.
 * Work that the clock stopped before it had its time begins again, so it must be able to.
 */
export function withinTime<T>(milliseconds: number, work: () => T): T {
  const begun = runTime()
  let clockMs = Math.max(1, Math.ceil(milliseconds))
  for (;;) {
    const before = { clock: performance.now(), run: runTime() }
    const done = withinClock(clockMs, work)
    if (done) return done.value
    const spent = runTime() - begun
    if (spent >= milliseconds) throw new TimeLimitExceeded(`did not end within ${milliseconds} ms`)
    const share = (runTime() - before.run) / (performance.now() - before.clock)
    // The kernel counts in steps: the shortest share keeps the next try short.
    clockMs = Math.ceil((milliseconds - spent) / Math.max(share, 0.05)) + 1
  }
}

/** @returns undefined when the clock stopped it */
function withinClock<T>(milliseconds: number, work: () => T): { value: T } | undefined {
  const outcome: { done?: { value: T } } = {}
  context.task = () => {
    outcome.done = { value: work() }
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if (isTimeout(error)) return undefined
    throw error
  } finally {
    context.task = undefined
  }
  return outcome.done
}
