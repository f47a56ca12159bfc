import { ApiError, type ErrorType } from '../platform/errors.js'
import { SuiteError, type SuiteErrorCode } from '../suites/suite-error.js'

const TYPES: Record<SuiteErrorCode, ErrorType> = {
  too_large: 'validation_failed',
  malformed: 'validation_failed',
  unmapped_term: 'validation_failed',
  relative_id: 'validation_failed',
  unknown_context: 'invalid_request',
  invalid_context: 'invalid_request',
  unavailable: 'invalid_request',
}

/** What a document's author can mend is a 400 that says what. */
export async function asAnswer<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    throw new ApiError(TYPES[error.code], `The credential cannot be issued: ${error.message}`, { cause: error })
  }
}
