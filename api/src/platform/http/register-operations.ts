import { Readable } from 'node:stream'
import { traceparent } from '@accredit/process/tracing'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { TeamScope } from '../database/database.js'
import { ApiError } from '../errors.js'
import { admit } from '../security/access.js'
import type { Authenticator } from '../security/authentication.js'
import { actorName, callerName, type Principal, PUBLIC } from '../security/principal.js'
import { toApiError } from '../to-api-error.js'
import { type Admission, resting } from './admission/admission.js'
import { requireCaller } from './admission/request-end.js'
import type { RequestLimits } from './admission/request-limits.js'
import { type AnswerHeaders, answerHeaders } from './answer-headers.js'
import { isUnchanged, refuseConditions } from './caching/conditions.js'
import { type KeptAnswer, KeptAnswers } from './caching/kept-answers.js'
import type { AnyContext, Context, Environment, OperationServices } from './context.js'
import type { DryRunner } from './dry-run.js'
import { type Begun, type Claim, type IdempotencyKeys, type StoredAnswer, storedAnswer } from './idempotency.js'
import { canonicalPath, decidingContent } from './idempotent-request.js'
import { refuseUnstorable, UnreadBody } from './input/request-body.js'
import { IGNORED_HEADER, ignoredHeader, inputReader, prefersStrict, refuseIgnored } from './input/unknown-members.js'
import type { Operation } from './operation.js'

export interface RequestServices {
  environment: Environment & OperationServices
  authenticator: Authenticator
  idempotency: IdempotencyKeys
  limits: RequestLimits
  admission: Admission
  dryRun: DryRunner
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent before somebody decided who calls. */
    principal: Principal | undefined
    /** The key or session as it was sent; it seals the stored answer. Never logged. */
    secret: string | undefined
    isDryRun: boolean
    /** The parameters, and members of the body, that are ignored. */
    ignored: readonly string[]
  }
}

const NO_BODY = new UnreadBody(new Uint8Array(), false)

interface Running extends RequestServices {
  keptAnswers: KeptAnswers
  /** The environment without its log: a request has a log of its own. */
  shared: Omit<RequestServices['environment'], 'log'>
}

/** The life of a request after routing: authentication, the role, validation of the input, then the handler. */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly Operation[],
  given: RequestServices,
): void {
  const { log: _log, ...shared } = given.environment
  const services: Running = { ...given, keptAnswers: new KeptAnswers(), shared }
  app.decorateRequest('principal', undefined)
  app.decorateRequest('secret', undefined)
  app.decorateRequest('isDryRun', false)
  app.decorateRequest('ignored')
  for (const op of operations) {
    const readInput = inputReader(op, services.environment)
    app.route({
      method: op.method,
      url: op.url,
      ...(op.limits?.bodyBytes && { bodyLimit: op.limits.bodyBytes }),
      config: { operation: op },
      onRequest: async (request, reply) => {
        const kept = services.keptAnswers.find(op, request)
        if (kept !== undefined && kept.state === undefined) return again(op, request, reply, kept)
        await authorize(op, request, reply, services)
        await services.admission.receive(request)
        await services.limits.enter(op, request, reply)
      },
      preValidation: async (request, reply) => {
        // Whether an answer about the present still holds is one question for all who ask it at once: it takes no turn.
        const kept = services.keptAnswers.find(op, request)
        if (kept !== undefined && (await isPresent(op, kept, services))) return again(op, request, reply, kept)
        await services.admission.admit(request)
        refuseConditions(op, request)
        if (op.body && request.body === undefined) request.body = op.bodyUnread ? NO_BODY : {}
        request.isDryRun = wantsDryRun(op, request)
        for (const part of [request.body, request.query, request.params]) refuseUnstorable(part)
        request.ignored = readInput(request)
        if (request.ignored.length > 0) reply.header(IGNORED_HEADER, ignoredHeader(request.ignored))
      },
      handler: (request, reply) => {
        requireCaller(reply)
        const handle = () => run(op, request, reply, services)
        const handled = request.span ? request.span.within(handle) : handle()
        request.handled = handled
        return handled
      },
    })
  }
}

async function authorize(
  op: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { environment, authenticator, limits }: RequestServices,
): Promise<void> {
  const { principal, secret } = await admit(op, authenticator, {
    headers: request.headers,
    address: request.ip,
    now: environment.clock.now(),
    aliases: environment.config.apiKeyHeaders,
  })
  request.principal = principal
  if (principal.kind === 'public') return
  reply.headers(limits.countCaller(callerName(principal), principal.plan))
  request.secret = secret
}

/** Tells whether a request is a dry run, and refuses other spellings of one: a dry run must never change anything. */
function wantsDryRun(op: Operation, { query, body }: FastifyRequest): boolean {
  if (op.method === 'GET') return false
  const refuse = (reason: string) => new ApiError('invalid_request', `${reason}; nothing was done`)
  if (op.ledgerWrite && dryRunMembers(body).length > 0)
    throw refuse('dryRun is a query parameter (?dryRun=true), not a member of the body')
  const [wish, another] = dryRunMembers(query)
  if (wish === undefined) return false
  const [name, value] = wish
  if (another === undefined && name === 'dryRun') {
    if (value === 'false') return false
    if (op.ledgerWrite && value === 'true') return true
  }
  throw refuse(
    op.ledgerWrite ? 'dryRun must be dryRun=true or dryRun=false' : 'dryRun is for operations that write to the ledger',
  )
}

function dryRunMembers(part: unknown): [string, unknown][] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).filter(([name]) => name.replace(/[^a-z]/gi, '').toLowerCase() === 'dryrun')
}

/** Members stand before what is spread: after a spread each costs a microsecond, as much as all of these. */
function contextOf(
  request: FastifyRequest,
  headers: AnswerHeaders,
  { environment, shared }: Running,
  idempotency: Claim | undefined,
): AnyContext {
  const { principal = PUBLIC, id: requestId } = request
  const ignore = (pointers: readonly string[]): void => {
    if (pointers.length === 0) return
    refuseIgnored(request, [...pointers])
    request.ignored = [...request.ignored, ...pointers]
    headers.reply.header(IGNORED_HEADER, ignoredHeader(request.ignored))
  }
  const caller = callerOf(principal, {
    ignore,
    isStrict: prefersStrict(request),
    origin: { requestId, address: request.ip, trace: traceparent(), ...(idempotency && { idempotency }) },
  })
  let log: Logger | undefined
  return {
    requestId,
    rest: (wait) => resting(request.standing, wait),
    address: request.ip,
    accept: request.headers.accept,
    acceptLanguage: request.headers['accept-language'],
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'],
    ifMatch: request.headers['if-match'],
    lastEventId: [request.headers['last-event-id']].flat()[0],
    reply: headers.reply,
    // Few requests log, so the fields are made only when this object is spread.
    get log() {
      log ??= environment.log.child({ requestId })
      return log
    },
    ...caller,
    ...shared,
  }
}

function callerOf(
  principal: Principal,
  { origin, ...own }: Pick<Context, 'ignore' | 'isStrict'> & { origin: Omit<TeamScope, 'teams' | 'actor'> },
) {
  if (principal.kind === 'public') return { team: undefined, principal, scope: 'public' } as const
  if (principal.kind === 'sponsor') return { team: principal.team, principal, scope: 'public' } as const
  const { team } = principal
  return { ...own, principal, team, scope: { teams: [team], actor: actorName(principal), ...origin } } as const
}

async function run(
  op: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  services: Running,
): Promise<FastifyReply> {
  const input = { body: request.body, query: request.query, params: request.params }
  const headers = answerHeaders(reply)
  if (request.isDryRun)
    return reply.send(await dryRun(op, contextOf(request, headers, services, undefined), input, services))
  const begun = await beginIdempotent(op, request, headers, services)
  if (begun && 'replay' in begun) return replayed(reply, begun.replay)
  const ctx = contextOf(request, headers, services, begun?.claim)
  try {
    const body = await op.handler(ctx, input)
    if (body instanceof Readable) return streamed(request, reply, body)
    const answer = storedAnswer(op.creates ? 201 : 200, body, headers.values)
    await begun?.claim.finish(answer, op.secretAnswer ?? false)
    if (answer.kind === 'json')
      services.keptAnswers.keep(op, request, { content: answer.content, headers: headers.set, state: headers.state })
    if (isUnchanged(op, request, headers.values.etag)) return reply.code(304).send()
    return sent(reply, answer, body)
  } catch (error) {
    const known = toApiError(error)
    await begun?.claim.fail(known.status < 500 ? storedAnswer(known.status, known.body(), headers.values) : undefined)
    throw error
  }
}

/** Tells whether a kept answer is what would be answered now. */
const isPresent = async (op: Operation, { state }: KeptAnswer, { environment }: Running): Promise<boolean> =>
  state === undefined || state === (await op.presentState?.(environment))

/** Sends a kept answer, which costs nothing that others would have to wait for: it takes no turn. */
function again(op: Operation, request: FastifyRequest, reply: FastifyReply, { content, headers }: KeptAnswer) {
  refuseConditions(op, request)
  reply.headers(headers)
  if (isUnchanged(op, request, headers.etag)) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(content)
}

function streamed(request: FastifyRequest, reply: FastifyReply, body: Readable): FastifyReply {
  if (request.method === 'HEAD') {
    // Fastify would read a stream to the end that nobody gets. An empty stream tells nothing of its length.
    body.destroy()
    return reply.code(200).send(Readable.from([]))
  }
  return reply.code(200).send(body)
}

function dryRun(
  op: Operation,
  ctx: AnyContext,
  input: Parameters<Operation['handler']>[1],
  { dryRun }: RequestServices,
) {
  if (typeof ctx.scope !== 'object') throw new Error(`${op.operationId} writes to the ledger, and needs a key`)
  return dryRun(ctx, (dry) => op.handler(dry, input))
}

async function beginIdempotent(
  op: Operation,
  request: FastifyRequest,
  headers: AnswerHeaders,
  { idempotency }: RequestServices,
): Promise<Begun | undefined> {
  const key = request.headers['idempotency-key']
  const { principal = PUBLIC, secret } = request
  if (key === undefined || op.method === 'GET' || op.idempotent === false) return undefined
  if (principal.kind === 'public' || secret === undefined) return undefined
  const path = canonicalPath(op, request.params)
  const content = decidingContent(op, request)
  const presented = { principal, secret, key: [key].flat().join(','), method: op.method, path, content }
  return idempotency.begin(presented, () => headers.values)
}

/**
 * Answers when the handler returns. `undefined` is an empty body; text and bytes are sent unchanged when their type
 * was set.
 */
function sent(reply: FastifyReply, answer: StoredAnswer, body: unknown): FastifyReply {
  reply.code(answer.status)
  if (answer.kind === 'empty') return reply.send()
  if (answer.kind === 'json') return reply.type('application/json; charset=utf-8').send(answer.content)
  return reply.send(body)
}

function replayed(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  reply.headers({ ...answer.headers, 'Idempotency-Replayed': 'true' })
  return sent(reply, answer, answer.kind === 'bytes' ? Buffer.from(answer.content, 'base64') : answer.content)
}
