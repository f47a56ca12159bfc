import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type DefinitionNode, type DocumentNode, GraphQLError, Kind, parse, visit } from 'graphql'
import mercurius from 'mercurius'
import { type Static, Type } from 'typebox'
import { resting } from '../../platform/admission.js'
import type { Environment, PublicContext } from '../../platform/context.js'
import { ApiError } from '../../platform/errors.js'
import type { Described } from '../../platform/operation.js'
import { refuseUnstorable } from '../../platform/request-body.js'
import { AddressPlaces } from '../../platform/request-limits.js'
import { answerText } from './answer-text.js'
import { demandOf, MAX_COST, MAX_DEPTH } from './cost.js'
import { type GraphContext, resolvers } from './resolvers.js'
import { SCHEMA } from './schema.js'

declare module 'mercurius' {
  interface MercuriusContext extends GraphContext {}
}

const BODY_BYTES = 65_536
const MAX_TOKENS = 1_000
const ANSWER_BYTES = 4_194_304
/** Running at once from one address; more: 429. */
const CONCURRENCY = 4

const Body = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 20_000 }),
  variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  operationName: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
})
type Body = Static<typeof Body>

export const graphqlDescription: Described = {
  method: 'POST',
  url: '/graphql',
  operationId: 'queryGraphql',
  tags: ['ledger'],
  summary: 'Ask for public facts of the ledger in GraphQL',
  description:
    'GraphQL over HTTP: 400 with errors when nothing ran or the answer would be too long, else 200 with what could be told. A query has ' +
    `${MAX_DEPTH} levels and a cost of ${MAX_COST} at most: values count one, readings and values of any length ten, what is below a connection as often as it asks for.`,
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  body: Body,
  response: { 200: Type.Object({ data: Type.Unknown(), errors: Type.Optional(Type.Array(Type.Unknown())) }) },
  codes: [413],
}

interface Refusal {
  message: string
  locations?: GraphQLError['locations']
}

/** POST /graphql: the ledger's public facts, by the GraphQL over HTTP rules: 400 when nothing ran, else 200 with what could be told. */
export async function registerGraphql(app: FastifyInstance, environment: Environment): Promise<void> {
  await app.register(mercurius, {
    schema: SCHEMA,
    resolvers,
    routes: false,
    cache: false,
    graphiql: false,
    errorFormatter: ({ data, errors }, { audit }) => ({
      statusCode: 200,
      response: { data: data ?? null, errors: (errors ?? []).map((error) => shown(error, audit)) },
    }),
  })
  const places = new AddressPlaces()
  app.post<{ Body: Body }>(
    '/graphql',
    {
      bodyLimit: BODY_BYTES,
      schema: { body: Body },
      config: { name: 'graphql' },
      onRequest: async (request, reply) => places.enter('graphql', CONCURRENCY, request, reply),
    },
    (request, reply) => answer(app, request, reply, environment),
  )
}

async function answer(
  app: FastifyInstance,
  request: FastifyRequest<{ Body: Body }>,
  reply: FastifyReply,
  environment: Environment,
): Promise<FastifyReply> {
  const ctx = publicContext(request, reply, environment)
  const { query, variables, operationName } = request.body
  let answered: string
  try {
    const document = parsed(query, variables ?? {})
    answered = answerText(
      await app.graphql(document, { audit: ctx }, variables ?? {}, operationName ?? undefined),
      ANSWER_BYTES,
    )
  } catch (error) {
    return reply.code(400).send({ data: null, errors: refusals(error) })
  }
  return reply.code(200).type('application/json; charset=utf-8').send(answered)
}

function publicContext(request: FastifyRequest, reply: FastifyReply, environment: Environment): PublicContext {
  return {
    ...environment,
    log: environment.log.child({ requestId: request.id }),
    requestId: request.id,
    rest: (wait) => resting(request.standing, wait),
    address: request.ip,
    accept: request.headers.accept,
    contentType: request.headers['content-type'],
    ifMatch: undefined,
    reply: { header: (name, value) => void reply.header(name, value), type: () => undefined },
    team: undefined,
    principal: undefined,
    scope: 'public',
  }
}

/** Parsed here and handed on as a document: mercurius would take JSON for one too, past every limit. */
function parsed(query: string, variables: Record<string, unknown>): DocumentNode {
  const document = parse(query, { maxTokens: MAX_TOKENS })
  const isQuery = (part: DefinitionNode) => part.kind !== Kind.OPERATION_DEFINITION || part.operation === 'query'
  if (!document.definitions.every(isQuery)) throw new GraphQLError('Only queries can be asked')
  const { depth, cost } = demandOf(document, variables)
  if (depth > MAX_DEPTH) throw new GraphQLError(`The query has ${MAX_DEPTH} levels at most`)
  if (cost > MAX_COST) throw new GraphQLError(`The query costs ${cost}, more than ${MAX_COST}: ask for less at once`)
  refuseUnstorable(variables)
  visit(document, { StringValue: ({ value }) => refuseUnstorable(value) })
  return document
}

/** What parsing, validation or our own checks found. Anything else is not the caller's doing. */
function refusals(error: unknown): Refusal[] {
  if (error instanceof ApiError && error.status === 400) return [{ message: error.message }]
  if (isRefusal(error) && 'locations' in error) return [told(error)]
  const found = error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : []
  if (found.length === 0 || !found.every(isRefusal)) throw error
  return found.map(told)
}

const isRefusal = (error: unknown): error is Refusal =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'

function told({ message, locations }: Refusal): Refusal {
  return { message, ...(locations && { locations }) }
}

/** Our own errors are shown; what went wrong inside is logged and not told. */
function shown(error: GraphQLError, ctx: PublicContext): GraphQLError {
  const { originalError: cause, path, nodes } = error
  if (cause === undefined || cause === null) return error
  const known = cause instanceof ApiError ? cause : undefined
  if (known === undefined) ctx.log.error({ err: cause }, 'a graphql field failed')
  return new GraphQLError(known?.message ?? 'Something went wrong here', {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions: { status: known?.status ?? 500, type: known?.type ?? 'internal_error' },
  })
}
