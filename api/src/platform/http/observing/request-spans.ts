import { type BegunSpan, beginSpan, isTraceparent } from '@accredit/process/tracing'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent where nothing is traced. */
    span: BegunSpan | undefined
  }
}

/** A span for each request, in the trace that its caller names; of the request only the route and the status stand in it. */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    const { operation, name } = request.routeOptions.config
    const route = request.routeOptions.url ?? 'none'
    request.span = beginSpan(`${request.method} ${route}`, {
      parent: sentTrace(request),
      kind: 'SERVER',
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'accredit.operation': operation?.operationId ?? name ?? 'none',
      },
    })
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    request.span?.end({ hasFailed: statusCode >= 500, attributes: { 'http.response.status_code': statusCode } })
    done()
  })
}

function sentTrace({ headers }: FastifyRequest): string | undefined {
  const [sent] = [headers.traceparent].flat()
  return sent !== undefined && isTraceparent(sent) ? sent : undefined
}
