import { channel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isServerGone } from '../process/server-gone.js'
import { wantedForm } from './accept.js'
import { drain } from './admission/drain.js'
import { ApiError, type ErrorType } from './errors.js'
import type { Method, Operation, Refusals } from './operation.js'
import { errorTypesOf } from './reference/operation-errors.js'

/** Turns any thrown value into the error that the caller may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode, code, message } = fieldsOf(error)
  // The cause is left out: its message repeats the URL, which may hold a key, and causes are logged.
  if (code === 'FST_ERR_BAD_URL') return new ApiError('invalid_request', 'The path is not a valid URL')
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500)
    return new ApiError(FASTIFY_TYPES[statusCode] ?? 'invalid_request', message, { cause: error })
  const type = isServerGone(error) ? 'unavailable' : databaseErrorType(code)
  if (type) return new ApiError(type, DATABASE_MESSAGES[type] ?? 'The service is not available', { cause: error })
  return new ApiError('internal_error', 'An internal error occurred; the request id names it in the log', {
    cause: error,
  })
}

const isBodyTooLarge = (error: unknown): boolean => fieldsOf(error).code === 'FST_ERR_CTP_BODY_TOO_LARGE'

const FASTIFY_TYPES: Record<number, ErrorType> = {
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  404: 'not_found',
}

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

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  refusals: Refusals | undefined = request.routeOptions.config.operation?.refusals,
): FastifyReply {
  const answer = toApiError(error)
  if (answer.status >= 500) request.log.error({ err: error, type: answer.type }, 'request failed')
  else request.log.debug({ err: answer.cause ?? answer, type: answer.type }, 'request refused')
  const { operation } = request.routeOptions.config
  if (operation && !errorTypesOf(operation).includes(answer.type)) reportUndeclared(operation, answer, request)
  reply.code(answer.status).headers({ ...refusals?.headers?.(request), ...answer.headers })
  if (refusals) {
    const [first, ...others] = refusals.mediaTypes
    const mediaType = wantedForm(request.headers.accept, others).named ?? first
    return reply.type(`${mediaType}; charset=utf-8`).send(refusals.body(answer, request))
  }
  return reply.type('application/json; charset=utf-8').send(answer.body())
}

/** Receives every refusal that the reference does not list; tests fail by it. */
const UNDECLARED_REFUSALS = channel('accredit.undeclared-refusals')

function reportUndeclared({ operationId }: Operation, { type }: ApiError, { log }: FastifyRequest): void {
  log.warn({ operationId, type }, 'the operation does not list this type among its errors')
  UNDECLARED_REFUSALS.publish(`${operationId}: ${type}`)
}

const REST_OF_BODY = { maxBytes: 33_554_432, timeoutMs: 10_000 }

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Errors, unknown paths (404) and known paths with another method (405), all in the one error body. */
export function answerErrors(app: FastifyInstance, operations: readonly Operation[]): void {
  app.setErrorHandler(async (error, request, reply) => {
    if (!isBodyTooLarge(error)) return sendError(error, request, reply)
    // The caller is still sending the body: the connection can stay once the rest was read.
    if (await drain(request.raw, REST_OF_BODY)) reply.removeHeader('connection')
    const most = request.routeOptions.bodyLimit.toLocaleString('en')
    return sendError(new ApiError('payload_too_large', `The body has more than ${most} bytes`), request, reply)
  })
  const paths = operations.map((op) => ({ method: op.method, pattern: pathPattern(op.url) }))
  const forms = refusalsByFolder(operations)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const refusals = forms.get(folderOf(path))
    const allowed = METHODS.filter((method) =>
      paths.some((known) => known.method === method && known.pattern.test(path)),
    )
    if (allowed.length === 0)
      return sendError(new ApiError('not_found', 'There is nothing at this path'), request, reply, refusals)
    const headers = { Allow: allowed.join(', ') }
    return sendError(
      new ApiError('method_not_allowed', `${request.method} is not allowed here`, { headers }),
      request,
      reply,
      refusals,
    )
  })
}

const folderOf = (path: string): string => path.split('/')[1] ?? ''

/** A protocol has a folder of its own: an unknown path or method there is answered in its form too. */
function refusalsByFolder(operations: readonly Operation[]): Map<string, Refusals> {
  const others = new Set(operations.filter(({ refusals }) => !refusals).map(({ url }) => folderOf(url)))
  return new Map(
    operations.flatMap(({ url, refusals }) =>
      refusals && !others.has(folderOf(url)) ? [[folderOf(url), refusals] as const] : [],
    ),
  )
}

function pathPattern(url: string): RegExp {
  const escaped = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${escaped}/?$`)
}
