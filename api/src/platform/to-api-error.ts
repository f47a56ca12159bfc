import { ApiError, type ErrorType, NO_FINAL_BLOCK } from './errors.js'
import { isServerGone } from './server-gone.js'

/** Turns whatever was thrown into the error that the caller may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode, code, message } = fieldsOf(error)
  // Its message repeats the URL, which may hold a key, and causes are logged.
  if (code === 'FST_ERR_BAD_URL') return new ApiError('invalid_request', 'The path is not a valid URL')
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500)
    return new ApiError(FASTIFY_TYPES[statusCode] ?? 'invalid_request', message, { cause: error })
  if (code === UNREADABLE && message.includes(NO_FINAL_BLOCK))
    return new ApiError('ledger_unavailable', NO_FINAL_BLOCK, { cause: error })
  const type = isServerGone(error) ? 'unavailable' : databaseErrorType(code)
  if (type) return new ApiError(type, DATABASE_MESSAGES[type] ?? 'The service is not available', { cause: error })
  return new ApiError('internal_error', 'An internal error occurred; the request id names it in the log', {
    cause: error,
  })
}

const FASTIFY_TYPES: Record<number, ErrorType> = {
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  404: 'not_found',
}

/** The SQLSTATE of a text that is not of the form of its type. */
const UNREADABLE = '22P02'

const DATABASE_MESSAGES: Partial<Record<ErrorType, string>> = {
  invalid_request: 'A value cannot be stored',
  conflict: 'It exists already, or something else changed it at the same time',
}

/** Postgres refusals that a caller can cause, by SQLSTATE. */
function databaseErrorType(code: string | undefined): ErrorType | undefined {
  if (code === undefined) return undefined
  if (/^22[0-9A-Z]{3}$/.test(code)) return 'invalid_request'
  if (code === '23505' || code === '40001' || code === '40P01') return 'conflict'
  return undefined
}

interface ErrorFields {
  statusCode: number | undefined
  code: string | undefined
  message: string
}

function fieldsOf(error: unknown): ErrorFields {
  const read = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  const status = read('statusCode')
  return {
    statusCode: typeof status === 'number' ? status : undefined,
    code: text(read('code')),
    message: text(read('message')) ?? 'Error',
  }
}

export const isBodyTooLarge = (error: unknown): boolean => fieldsOf(error).code === 'FST_ERR_CTP_BODY_TOO_LARGE'
