import type { RequestListener, Server } from 'node:http'
import cors from '@fastify/cors'
import { compile } from '@fastify/proxy-addr'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { sql } from 'kysely'
import type { Config } from './config.js'
import { jobEffects } from './effects.js'
import { FORMATS, formatsOf } from './formats/formats.js'
import { staleness } from './ledger/read/index-db.js'
import { dryRunner } from './ledger/write/dry-run.js'
import { jobWatchOf } from './ledger/write/job-watch.js'
import { measureFees } from './ledger/write/metrics/measure-fees.js'
import { measureWork } from './ledger/write/metrics/measure-work.js'
import { ApiError } from './platform/errors.js'
import { Admission } from './platform/http/admission/admission.js'
import { boundedServer } from './platform/http/admission/connections.js'
import { RequestLimits } from './platform/http/admission/request-limits.js'
import type { Environment, OperationServices } from './platform/http/context.js'
import { answerErrors, sendError } from './platform/http/error-handler.js'
import { IdempotencyKeys } from './platform/http/idempotency.js'
import { rawUris } from './platform/http/input/raw-uri.js'
import { acceptBodies } from './platform/http/input/request-body.js'
import { unreadableRefusal } from './platform/http/input/unreadable-request.js'
import { observeRequests } from './platform/http/observing/request-metrics.js'
import { traceRequests } from './platform/http/observing/request-spans.js'
import type { Served } from './platform/http/operation.js'
import { registerOperations } from './platform/http/register-operations.js'
import { nameRequests } from './platform/http/request-id.js'
import { type Notices, type ReadyChecks, serviceRoutes } from './platform/http/service-routes.js'
import { refuseWhileStopping } from './platform/http/stopping.js'
import { refusePlainHttp } from './platform/http/transport.js'
import { keyAuthenticator } from './platform/security/authentication.js'
import { refuseStrayKeys } from './platform/security/sent-keys.js'
import { STATUS_METHODS, statusMethodsOf } from './status/status-methods.js'

const EXPOSED = [
  'Accredit-Unsigned',
  'Accredit-Distribution',
  'X-Request-ID',
  'ETag',
  'Accredit-Job',
  'Accredit-Pending',
  'Accredit-Block',
  'Accredit-Block-Time',
  'Accredit-Final',
  'Accredit-Stale',
  'Idempotency-Replayed',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Deprecation',
  'Accredit-Context-Left-Out',
  'Accredit-Not-Compared',
  'Accredit-Ignored',
]

// The plugin's default list lacks the methods that change and delete.
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The timeout is longer than that of proxies (60 s, as the Caddyfile sets it), so that none sends on a connection that ends. */
const KEEP_ALIVE_MS = 72_000

/** The time that requests in work have when the service ends. */
const LAST_ANSWERS_MS = 5000

/** Builds the HTTP app. Read from top to bottom, it is the life of a request. */
export async function buildApp(
  given: Environment & Partial<OperationServices>,
  served: readonly Served[],
): Promise<FastifyInstance> {
  const environment = {
    formats: formatsOf(FORMATS),
    statusMethods: statusMethodsOf(STATUS_METHODS),
    ...given,
  }
  const { config, log, random, db, clock } = environment
  const operations = served.flatMap((part) => part.operations)
  const uris = rawUris(operations)
  const loggerInstance: FastifyBaseLogger = log

  const app: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => random.uuid(),
    trustProxy: config.trustedProxies,
    bodyLimit: config.limits.bodyBytes,
    serverFactory: (handler) => serverFor(config, handler),
    rewriteUrl: uris.rewriteUrl,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    // It would answer in a form of its own (`refuseWhileStopping`).
    return503OnClosing: false,
    clientErrorHandler: unreadableRefusal(environment),
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  })

  nameRequests(app)
  refuseWhileStopping(app)
  traceRequests(app)
  const metrics = observeRequests(app)
  const admission = new Admission(config)
  admission.guard(app)
  measureFees(metrics, environment)
  measureWork(metrics, environment)
  refusePlainHttp(app)
  refuseStrayKeys(app, config.apiKeyHeaders)
  uris.refuseDoubtful(app)
  await app.register(cors, { origin: '*', methods: METHODS, exposedHeaders: EXPOSED, maxAge: 86_400 })
  acceptBodies(app, config.limits.jsonDepth, (request) => admission.admit(request))
  answerErrors(app, operations)

  // A client that sends without end, or stops in the middle, does not delay the end of the service.
  app.addHook('preClose', async () => void setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS).unref())
  const jobWatch = jobWatchOf(environment)
  // Open streams would keep the server from closing; a request that waits for a job may still have its answer.
  app.addHook('preClose', async () => jobWatch.endFollowing())
  app.addHook('onClose', () => jobWatch.close())
  const idempotency = new IdempotencyKeys(db, random, environment.events)
  app.addHook('onClose', async () => idempotency.close())
  const authenticator = keyAuthenticator(db, config)
  app.addHook('onClose', () => authenticator.close())
  registerOperations(app, operations, {
    environment,
    authenticator,
    idempotency,
    limits: new RequestLimits(config, clock),
    admission,
    dryRun: dryRunner(jobEffects),
  })
  for (const part of served) await part.register?.(app, environment)
  const described = [...operations, ...served.flatMap((part) => part.described ?? [])]
  await serviceRoutes(app, {
    described,
    sent: served.flatMap((part) => part.sent ?? []),
    config,
    metrics,
    checks: readyChecks(environment),
    notices: notices(environment),
  })
  return app
}

function serverFor({ limits, trustedProxies, ledger }: Config, handler: RequestListener): Server {
  const trusts = compile(trustedProxies)
  const server = boundedServer(handler, {
    perAddress: limits.connectionsPerAddress,
    isProxy: (address) => trusts(address, 0),
  })
  server.requestTimeout = limits.requestTimeoutMs
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // No byte went either way for this long: the client reads nothing of its answer.
  server.setTimeout(limits.requestTimeoutMs + ledger.waitMs)
  return server
}

function readyChecks(environment: Environment): ReadyChecks {
  return {
    database: async () => void (await environment.db.read('public', (reader) => sql`select 1`.execute(reader))),
    signer: async () => void (await environment.signer.health()),
    ledger: async () => void (await environment.signer.chainStatus()),
    ledgerIndex: async () => {
      const reason = staleness(environment.index, await environment.index.head())
      if (reason !== undefined) throw new ApiError('ledger_unavailable', reason)
    },
  }
}

/** These faults do not end readiness: without money for fees everything but writing goes on, and writes wait. */
function notices(environment: Environment): Notices {
  return {
    fees: async () => {
      const { fees } = await environment.signer.chainStatus()
      if (fees.isPoor) throw new ApiError('unavailable', 'The fee account is poor: what is to be written waits')
    },
  }
}
