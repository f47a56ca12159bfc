import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantedForm } from './accept.js'
import { drain } from './drain.js'
import { ApiError, type ErrorType } from './errors.js'
import type { Method, Operation, Refusals } from './operation.js'
import { isServerGone } from './server-gone.js'
import { type Problem, problemText } from './validation.js'

/** Turns whatever was thrown into the error that the caller may see. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { statusCode, code, validation, message, validationContext } = fieldsOf(error)
  if (validation) return validationFailed(error, validationContext, validation)
  // Its message repeats the URL, which may hold a key, and causes are logged.
  if (code === 'FST_ERR_BAD_URL') return new ApiError('invalid_request', 'The path is not a valid URL')
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500)
    return new ApiError(FASTIFY_TYPES[statusCode] ?? 'invalid_request', message, { cause: error })
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
  validation: Problem[] | undefined
  validationContext: string | undefined
}

function fieldsOf(error: unknown): ErrorFields {
  const read = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  const status = read('statusCode')
  const validation = read('validation')
  return {
    statusCode: typeof status === 'number' ? status : undefined,
    code: text(read('code')),
    message: text(read('message')) ?? 'Error',
    validationContext: text(read('validationContext')),
    validation: Array.isArray(validation)
      ? validation.map((one: { instancePath?: unknown; message?: unknown; params?: { allowedValue?: unknown } }) => ({
          instancePath: text(one.instancePath) ?? '',
          message: text(one.message) ?? 'is not valid',
          allowed: one.params?.allowedValue,
        }))
      : undefined,
  }
}

function validationFailed(cause: unknown, context: string | undefined, problems: Problem[]): ApiError {
  const field = (problems[0]?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const message = `${[context ?? 'request', field].filter(Boolean).join(' ')} ${problemText(problems)}`
  return new ApiError('validation_failed', message, { cause, ...(field !== '' && { malformed: { field } }) })
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
  reply.code(answer.status).headers({ ...refusals?.headers?.(request), ...answer.headers })
  if (refusals) {
    const [first, ...others] = refusals.mediaTypes
    const mediaType = wantedForm(request.headers.accept, others).named ?? first
    return reply.type(`${mediaType}; charset=utf-8`).send(refusals.body(answer, request))
  }
  return reply.type('application/json; charset=utf-8').send(answer.body())
}

const REST_OF_BODY = { maxBytes: 33_554_432, timeoutMs: 10_000 }

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Errors, unknown paths (404) and known paths with another method (405), all in the one error body. */
export function answerErrors(app: FastifyInstance, operations: readonly Operation[]): void {
  app.setErrorHandler(async (error, request, reply) => {
    // Whoever sends too much is still sending: the connection can stay when the rest was read.
    if (toApiError(error).status === 413 && (await drain(request.raw, REST_OF_BODY))) reply.removeHeader('connection')
    return sendError(error, request, reply)
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

/** A protocol has a folder of its own: what is not there, or not in this way, is told in its form too. */
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
