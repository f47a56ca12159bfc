import vm from 'node:vm'

const context = vm.createContext(Object.create(null))
const script = new vm.Script('task()')

/** Thrown when a piece of work did not end within its limit. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded'
}

const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/**
 * Runs synchronous work and stops it after so many milliseconds. Schemas are written by strangers: a few nested
 * references can keep a validator busy for years, and no limit of size catches that. Costs about 40 µs a call.
 */
export function withinTime<T>(milliseconds: number, work: () => T): T {
  const outcome: { result?: { value: T } } = {}
  context.task = () => {
    outcome.result = { value: work() }
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if (isTimeout(error)) throw new TimeLimitExceeded(`did not end within ${milliseconds} ms`, { cause: error })
    throw error
  } finally {
    context.task = undefined
  }
  if (outcome.result === undefined) throw new Error('the work ended without a result')
  return outcome.result.value
}
