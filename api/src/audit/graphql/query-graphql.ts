import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { wantedForm } from '../../platform/http/accept.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { networkOf } from '../../platform/security/client-address.js'
import { answerText } from './answer-text.js'
import { COST_OF_STATEMENT, MAX_COST, MAX_DEPTH } from './cost.js'
import { execute, parsed } from './execute.js'
import { MAX_INTROSPECTED } from './introspection.js'
import { GraphqlErrors, graphqlRefusals, NothingRan, RESPONSE_TYPE, reasonsOf } from './refusals.js'
import { COST_OF_TOTAL } from './schema-parts.js'

const BODY_BYTES = 65_536
const ANSWER_BYTES = 4_194_304
/** The number of queries from one address that run at once; a further one gets 429. */
const CONCURRENCY = 4
const JSON_TYPE = /^application\/json\s*(?:;|$)/i

const Body = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: 20_000,
    examples: ['{ registries { nodes { id name } } }'],
    description: 'A document of GraphQL with one operation, or several of which operationName names one',
  }),
  variables: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'The values that the query calls by $name',
    }),
  ),
  operationName: Type.Optional(
    Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
      description: 'The operation of the document to run',
    }),
  ),
  extensions: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description: 'None are known here' }),
  ),
})

/** The handler writes the answer itself, up to its own length limit. */
const Answer = Type.Unsafe<string>(
  Type.Object({
    data: Type.Optional(
      Type.Unknown({ description: 'The answer as far as it could be told; not there when nothing ran' }),
    ),
    errors: Type.Optional(GraphqlErrors),
  }),
)

export const queryGraphql = operation({
  method: 'POST',
  url: '/graphql',
  operationId: 'queryGraphql',
  tags: ['ledger'],
  summary: 'Ask for public facts of the ledger in GraphQL',
  description:
    `GraphQL over HTTP. As application/json a query that cannot run, or whose answer would be too long, is answered 200 with errors and without data, as ${RESPONSE_TYPE} 400. ` +
    'A field that fails by itself is null and has its error, what was asked for beside it is told. A query has ' +
    `${MAX_DEPTH} levels and a cost of ${MAX_COST} at most: values count one, those of any length ten, each statement that is put to the index ${COST_OF_STATEMENT}, a totalCount ${COST_OF_TOTAL}, what is below a connection as often as it asks for. Of the schema itself it tells at most ${MAX_INTROSPECTED} values.`,
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  body: Body,
  examples: {
    'All trust registries': { query: '{ registries { nodes { id name } } }' },
    'One of them': {
      query: 'query Named($id: ID!) { registry(id: $id) { id name } }',
      variables: { id: EXAMPLE.trustRegistry },
    },
  },
  response: { 200: Answer },
  mediaTypes: ['application/json', RESPONSE_TYPE],
  errors: ['ledger_unavailable'],
  limits: { bodyBytes: BODY_BYTES, concurrencyPerAddress: CONCURRENCY },
  refusals: graphqlRefusals,
  handler: async (ctx, { body: { query, variables, operationName } }) => {
    // The service reads JSON of any media type; GraphQL over HTTP requires the right one.
    if (!JSON_TYPE.test(ctx.contentType ?? ''))
      throw new ApiError('unsupported_media_type', 'A GraphQL request is sent as application/json')
    const asResponse = wantedForm(ctx.accept, [RESPONSE_TYPE]).named !== undefined
    ctx.reply.type(`${asResponse ? RESPONSE_TYPE : 'application/json'}; charset=utf-8`)
    try {
      const document = parsed(query, variables ?? {})
      // All fields of a query begin at once.
      const told = await ctx.index.inTurns(networkOf(ctx), (index) =>
        execute({ ...ctx, index }, document, variables ?? {}, operationName ?? undefined),
      )
      return answerText(told, ANSWER_BYTES)
    } catch (error) {
      const errors = reasonsOf(error)
      if (asResponse) throw new NothingRan(errors)
      return JSON.stringify({ errors })
    }
  },
})
