import { GraphQLError } from 'graphql'
import { Type } from 'typebox'
import { ApiError } from '../../platform/errors.js'
import type { Refusals } from '../../platform/http/operation.js'

/** The media type of GraphQL over HTTP; its statuses say whether anything ran. */
export const RESPONSE_TYPE = 'application/graphql-response+json'

/** The form in which GraphQL tells what went wrong. */
export const GraphqlErrors = Type.Array(
  Type.Object({
    message: Type.String({ description: 'The reason, for people' }),
    locations: Type.Optional(
      Type.Array(
        Type.Object({
          line: Type.Integer({ description: 'Of the query, from 1' }),
          column: Type.Integer({ description: 'Of the line, from 1' }),
        }),
        { description: 'The place in the query' },
      ),
    ),
    path: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Integer()]), { description: 'The field of the answer that failed' }),
    ),
    extensions: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ description: 'The status that REST would answer' }),
          type: Type.String({ description: 'Of the catalogue at /docs/errors' }),
        },
        { description: 'As in the one error body' },
      ),
    ),
  }),
  { description: 'The failures, each with its reason; not there when all went well' },
)

/** A request of which nothing ran, with the reason. */
export class NothingRan extends ApiError {
  constructor(readonly errors: readonly GraphQLError[]) {
    super('invalid_request', errors[0]?.message ?? 'Nothing ran')
  }
}

/**
 * Returns the problem that parsing, validation or our own checks found.
 *
 * @throws any other error, which is not the caller's doing
 */
export function reasonsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof NothingRan) return error.errors
  if (error instanceof GraphQLError) return [error]
  if (error instanceof ApiError && error.status === 400) return [asGraphqlError(error)]
  throw error
}

const asGraphqlError = ({ message, status, type }: ApiError): GraphQLError =>
  new GraphQLError(message, { extensions: { status, type } })

/** Refusals in GraphQL's form, also before a query is read; they have no data, since nothing ran. */
export const graphqlRefusals: Refusals = {
  mediaTypes: ['application/json', RESPONSE_TYPE],
  schema: Type.Object({ errors: GraphqlErrors }),
  body: (error) => JSON.stringify({ errors: error instanceof NothingRan ? error.errors : [asGraphqlError(error)] }),
}
