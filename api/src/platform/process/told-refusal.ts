import { ApiError, type ErrorType } from '../errors.js'

/** A refusal on its way between threads: what is copied from one to another loses its class. */
export interface ToldRefusal {
  refused: { type: ErrorType; message: string; members: Record<string, unknown> }
}

/** Does the work of a thread; a refusal becomes its result. */
export function tellRefusal<Result>(work: () => Result): Result | ToldRefusal {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { type, message, members } = error
    return { refused: { type, message, members } }
  }
}

/** @throws the refusal that a thread told */
export function unlessRefused<Result extends object>(result: Result | ToldRefusal): Result {
  if (!('refused' in result)) return result
  const { type, message, members } = result.refused
  throw new ApiError(type, message, { members })
}
