import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import { HTML, wantsPage } from '../../platform/http/accept.js'
import { operation } from '../../platform/http/operation.js'
import { GRAPHIQL_HEADERS, GRAPHIQL_PAGE } from './graphiql.js'
import { graphqlRefusals } from './refusals.js'

export const openGraphiql = operation({
  method: 'GET',
  url: '/graphql',
  operationId: 'openGraphiql',
  tags: ['ledger'],
  summary: 'Write and run GraphQL queries in a browser',
  description:
    'GraphiQL, for whoever accepts `text/html`: a page that knows the schema, completes what is typed and runs it. It loads nothing from other hosts. Programs POST their queries; another GET is 405.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  response: { 200: Type.String() },
  mediaTypes: [HTML],
  errors: ['method_not_allowed'],
  refusals: graphqlRefusals,
  handler: async (ctx) => {
    ctx.reply.header('Vary', 'Accept')
    if (!wantsPage(ctx.accept))
      throw new ApiError(
        'method_not_allowed',
        'Queries are sent by POST; GET shows GraphiQL to whoever accepts text/html',
        {
          headers: { Allow: 'POST' },
        },
      )
    for (const [name, value] of Object.entries(GRAPHIQL_HEADERS)) ctx.reply.header(name, value)
    ctx.reply.type(`${HTML}; charset=utf-8`)
    return GRAPHIQL_PAGE
  },
})
