import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { loggableUrl } from '../loggable-url.js'
import { sentRequestId } from '../request-id.js'

function callerOf({ principal }: FastifyRequest) {
  if (principal === undefined || principal.kind === 'public') return {}
  const { team } = principal
  return principal.kind === 'session' ? { sessionId: principal.sessionId, team } : { keyId: principal.keyId, team }
}

/** One log line and one observation for each request. Bodies, keys and query secrets never stand in either. */
export function observeRequests(app: FastifyInstance): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'accredit_http_request_seconds',
    help: 'Time to answer, by operation and status',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const errors = new Counter({
    name: 'accredit_http_errors_total',
    help: 'Answers with a status of 500 and above',
    labelNames: ['operation'] as const,
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const operation = nameOf(request)
    seconds.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    if (reply.statusCode >= 500) errors.inc({ operation })
    const sentId = sentRequestId(request)
    const line = {
      method: request.method,
      url: loggableUrl(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      address: request.ip,
      ...(sentId !== undefined && { sentId }),
      ...callerOf(request),
    }
    if (operation === 'health' || operation === 'ready' || operation === 'metrics') request.log.debug(line, 'request')
    else request.log.info(line, 'request')
    done()
  })
  return registry
}

function nameOf(request: FastifyRequest): string {
  const { operation, name } = request.routeOptions.config
  return operation?.operationId ?? name ?? 'none'
}
