import { FormatError } from '../../formats/format-error.js'
import { ApiError } from '../../platform/errors.js'
import { pointerTo } from '../../platform/http/input/pointer.js'
import { refusalOf } from '../../platform/http/problems.js'

/** Turns an error that a document's author can mend into a 400 that names it, and one that may pass into a 503. */
export async function asAnswer<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    if (error.place !== undefined)
      throw refusalOf([
        {
          path: pointerTo(['credential', ...error.place]),
          message: `The credential cannot be issued: ${error.message}`,
        },
      ])
    const type = error.code === 'unavailable' ? 'unavailable' : 'invalid_request'
    throw new ApiError(type, `The credential cannot be issued: ${error.message}`, { cause: error })
  }
}
