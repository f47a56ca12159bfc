import { FormatError } from '../../formats/format-error.js'
import { ApiError } from '../../platform/http/errors.js'

/** What a document's author can mend is a 400 that says what. */
export async function asAnswer<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new ApiError('invalid_request', `The credential cannot be issued: ${error.message}`, { cause: error })
  }
}
