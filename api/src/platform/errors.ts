/**
 * The error catalogue: every `type` a caller can meet, with its HTTP status.
 * The body is always `{ status, type, message }`; what caused an error stays in the log.
 */
const ERROR_STATUS = {
  moved: 301,
  invalid_request: 400,
  unknown_member: 400,
  validation_failed: 400,
  unsupported_policy: 400,
  unsupported_format: 400,
  schema_mismatch: 400,
  registry_add_only: 400,
  status_not_found_yet: 400,
  invite_token_used: 400,
  invite_token_expired: 400,
  invite_already_accepted: 400,
  resend_too_soon: 400,
  presentation_invalid: 400,
  verifier_not_permitted: 400,
  ecosystem_locked: 400,
  offer_expired: 400,
  ledger_not_configured: 400,
  unauthorized: 401,
  ip_not_allowed: 401,
  wrong_environment: 401,
  invalid_signature: 401,
  wrong_password: 401,
  limit_reached: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  index_conflict: 409,
  idempotency_mismatch: 409,
  idempotency_in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  ledger_unavailable: 503,
} as const

export type ErrorType = keyof typeof ERROR_STATUS

export interface ErrorBody {
  status: number
  type: string
  message: string
}

export interface ApiErrorOptions {
  /** For the log only, never answered. */
  cause?: unknown
  /** Further members of the body, for routes whose clients read them from an error. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  malformed?: Malformed
}

/** What of a request is not of its form: a member or parameter by its path, as `credential.id`; or text, wherever it stands. */
export type Malformed = { field: string } | 'text'

/** The one error that handlers throw on purpose. */
export class ApiError extends Error {
  readonly status: number
  readonly members: Record<string, unknown>
  readonly headers: Record<string, string>
  readonly malformed: Malformed | undefined

  constructor(
    readonly type: ErrorType,
    message: string,
    options: ApiErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'ApiError'
    this.status = ERROR_STATUS[type]
    this.members = options.members ?? {}
    this.headers = { ...(this.status === 503 && { 'Retry-After': '1' }), ...options.headers }
    this.malformed = options.malformed
  }

  body(): ErrorBody {
    return { ...this.members, status: this.status, type: this.type, message: this.message }
  }
}

/** `notFound('DID')`: also the answer for what belongs to another team. */
export const notFound = (what: string): ApiError => new ApiError('not_found', `${what} was not found`)

export const invalid = (message: string, malformed?: Malformed): ApiError =>
  new ApiError('invalid_request', message, malformed && { malformed })

/** The answer to whoever finds every place taken, also those for waiting. */
export const tooManyAtOnce = (): ApiError =>
  new ApiError('unavailable', 'Too many such requests at once; try again', { headers: { 'Retry-After': '1' } })

export const isErrorType = (text: string): text is ErrorType => Object.hasOwn(ERROR_STATUS, text)
