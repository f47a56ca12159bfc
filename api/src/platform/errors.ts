/**
 * The error catalogue: every `type` that a caller can meet, its HTTP status, and what it means to the caller.
 * The body is always `{ status, type, message }`; what caused an error stays in the log.
 */
export const ERRORS = {
  moved: [301, 'The page has another address now, which stands in Location.'],
  invalid_request: [
    400,
    'The request cannot be used; the message, and problems where there are several, say which part and why.',
  ],
  unknown_member: [
    400,
    'A member or parameter is not known here, or nearly the name of one that is; problems names each with its place.',
  ],
  unsupported_policy: [400, 'A revocation registry cannot have this policy.'],
  unsupported_format: [400, 'Credentials or proofs of this format are not made here.'],
  status_method_not_available: [400, 'The status that a credential of this kind needs cannot be made yet.'],
  not_verified: [400, 'A required check of the credential or presentation did not pass; problemDetails says which.'],
  proof_too_large: [
    400,
    'The proof would be longer than what verifiers read; the message says of what, and what has a shorter one.',
  ],
  schema_mismatch: [400, 'The subject does not satisfy its schema, or that cannot be found out.'],
  registry_add_only: [400, 'The revocation registry only adds: what is revoked in it stays so.'],
  status_not_found_yet: [400, 'The revocation registry is on its way to the ledger: ask again when its job has ended.'],
  invite_token_used: [400, 'The invitation was answered already.'],
  invite_token_expired: [400, 'The invitation is over; its sender can make another one.'],
  invite_already_accepted: [400, 'The DID, or the person, takes part already.'],
  resend_too_soon: [400, 'An invitation is sent again once a day; Retry-After says after how many seconds.'],
  ledger_not_configured: [400, 'The service has no ledger for this.'],
  did_method_not_supported: [400, 'A DID of this method cannot act here: did:svc and did:key can.'],
  unauthorized: [
    401,
    'No key or session was sent, one that is not known, was revoked or has expired, or one of a kind that does not open this.',
  ],
  ip_not_allowed: [401, 'The key may not be used from this address.'],
  wrong_environment: [401, 'A sandbox key was sent to production, or the other way round.'],
  invalid_signature: [401, 'The signature was not made by the key that is named, or not over this.'],
  wrong_password: [401, 'The password is wrong; after five tries there is a pause.'],
  limit_reached: [402, 'The plan includes no more of this.'],
  forbidden: [403, 'The role of the key is too small, or it belongs to somebody who may not do this.'],
  not_found: [404, 'It does not exist, or it is another team’s.'],
  method_not_allowed: [405, 'The path exists with other methods, which stand in Allow.'],
  not_acceptable: [406, 'It cannot be answered in the form that Accept asks for.'],
  request_timeout: [408, 'The request, or its body, came too slowly.'],
  conflict: [409, 'It exists already, or something else changed it meanwhile.'],
  too_many: [409, 'As many of these are there as the service keeps for one caller: remove some first.'],
  idempotency_mismatch: [409, 'The Idempotency-Key was used for another request.'],
  idempotency_in_progress: [409, 'The request with this Idempotency-Key is still in work.'],
  gone: [410, 'It was here, and was removed.'],
  precondition_failed: [412, 'It is not as If-Match says any more: read it again.'],
  payload_too_large: [413, 'The body is larger than this operation takes.'],
  unsupported_media_type: [415, 'The body is not of a type that this operation reads: send application/json.'],
  rate_limited: [429, 'Too much at once; Retry-After says after how many seconds to ask again.'],
  headers_too_large: [431, 'The address and the headers are too long together.'],
  internal_error: [500, 'Something failed here; X-Request-ID names the request in the log.'],
  proofs_not_available: [
    501,
    'This ledger gives no proofs: an embedded one has no validators whose votes show anything, a network has them.',
  ],
  unavailable: [503, 'Something that the answer rests on cannot be asked now: try again.'],
  ledger_unavailable: [503, 'The ledger or its index cannot be asked now: try again.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>

export type ErrorType = keyof typeof ERRORS

/** The message where a network is indexed before any final block of it; SQL refuses with it too. */
export const NO_FINAL_BLOCK = 'No final block of the ledger is indexed yet'

export interface ErrorBody {
  status: number
  type: string
  message: string
}

export interface ApiErrorOptions {
  /** The cause, for the log only, never answered. */
  cause?: unknown
  /** Further members of the body, for routes whose clients read them from an error. */
  members?: Record<string, unknown>
  headers?: Record<string, string>
  malformed?: Malformed
}

/** The malformed part of a request: a member or parameter by its path, as `credential.id`; or any text. */
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
    this.status = ERRORS[type][0]
    this.members = options.members ?? {}
    this.headers = { ...(this.status === 503 && { 'Retry-After': '1' }), ...options.headers }
    this.malformed = options.malformed
  }

  body(): ErrorBody {
    return { ...this.members, status: this.status, type: this.type, message: this.message }
  }
}

/** `notFound('DID')`: also the answer for things of another team. */
export const notFound = (what: string): ApiError => new ApiError('not_found', `${what} was not found`)

export const invalid = (message: string, malformed?: Malformed): ApiError =>
  new ApiError('invalid_request', message, malformed && { malformed })

/** The answer to a caller that finds every place taken, also those for waiting. */
export const tooManyAtOnce = (): ApiError =>
  new ApiError('unavailable', 'Too many such requests at once; try again', { headers: { 'Retry-After': '1' } })

export const isErrorType = (text: string): text is ErrorType => Object.hasOwn(ERRORS, text)
