import { channel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { isBodyTooLarge, toApiError } from '../to-api-error.js'
import { wantedForm } from './accept.js'
import { drain } from './admission/drain.js'
import type { Method, Operation, Refusals } from './operation.js'
import { errorTypesOf } from './reference/operation-errors.js'

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
