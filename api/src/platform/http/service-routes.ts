import type { NoticeName, ReadyCheckName } from '@accredit/process/readiness'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import type { Config } from '../../config.js'
import { ApiError } from '../errors.js'
import { within } from '../process/deadline.js'
import { monitorsAt } from '../security/monitors.js'
import { wantsPage } from './accept.js'
import type { Described, Operation, SentMessage } from './operation.js'
import { errorsPage, startAnswer, startPage } from './reference/docs.js'
import { openApiDocument } from './reference/openapi.js'
import { referenceRoutes } from './reference/reference.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
    /** The name in logs and metrics of a route that is no operation. */
    name?: string
  }
}

/** Resolves when its subject can serve requests, and rejects with the reason otherwise. */
type ReadyCheck = () => Promise<void>

export type ReadyChecks = Record<Exclude<ReadyCheckName, NoticeName>, ReadyCheck>
export type Notices = Record<NoticeName, ReadyCheck>

export interface ServiceRoutes {
  described: readonly Described[]
  sent: readonly SentMessage[]
  config: Config
  metrics: Registry
  checks: ReadyChecks
  /** The checks that are told beside the others, and decide nothing. */
  notices: Notices
}

const CHECK_MS = 2000

/** Registers the routes that every deployment needs: alive, ready, metrics, and the reference. */
export async function serviceRoutes(
  app: FastifyInstance,
  { described, sent, config, metrics, checks, notices }: ServiceRoutes,
): Promise<void> {
  const { environment, apiUrl } = config
  const isMonitor = monitorsAt(config.monitors)
  app.get('/health', { config: { name: 'health' } }, async () => ({ status: 'ok' }))
  app.get('/ready', { config: { name: 'ready' } }, async (request, reply) => {
    const [results, told] = await Promise.all([outcomes(checks), outcomes(notices)])
    const isReady = results.every(([, problem]) => problem === undefined)
    const all = Object.fromEntries([...results, ...told].map(([name, problem]) => [name, problem ?? 'ok']))
    const body = { ready: isReady, ...(isMonitor(request) && { checks: all }) }
    return reply
      .code(isReady ? 200 : 503)
      .send(isReady ? body : { ...body, status: 503, type: 'unavailable', message: 'Not ready' })
  })
  app.get('/metrics', { config: { name: 'metrics' } }, async (request, reply) => {
    if (!isMonitor(request))
      throw new ApiError(
        'forbidden',
        'Only from the addresses of MONITOR_ADDRESSES, and not through a proxy that is not trusted',
      )
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
  // To make it takes as long as to register all operations: it is made when somebody asks for it first.
  let openApi: string | undefined
  app.get('/openapi.json', { config: { name: 'openapi' } }, async (_request, reply) => {
    openApi ??= JSON.stringify(openApiDocument(described, config, sent))
    return reply.type('application/json; charset=utf-8').send(openApi)
  })
  await referenceRoutes(app, config)
  const [errors, start] = [errorsPage(), startPage(environment)]
  app.get('/docs/errors', { config: { name: 'docs' } }, async (_request, reply) => sendPage(reply, errors))
  app.get('/', { config: { name: 'start' } }, async ({ headers }, reply) =>
    wantsPage(headers.accept)
      ? sendPage(reply.header('vary', 'Accept'), start)
      : reply.header('vary', 'Accept').send(startAnswer(environment, apiUrl)),
  )
}

const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply
    .headers({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(page)

function outcomes(checks: Record<string, ReadyCheck>) {
  return Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const))
}

/** Returns the fault, in a word or a sentence without internals; undefined when there is none. */
async function outcome(check: ReadyCheck): Promise<string | undefined> {
  try {
    await within(CHECK_MS, check)
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error.message : 'It does not answer'
  }
}
