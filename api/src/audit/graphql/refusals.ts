import { GraphQLError } from 'graphql'
import { ApiError } from '../../platform/errors.js'
import type { Refusals } from '../../platform/operation.js'

/** The media type of GraphQL over HTTP; its statuses say whether anything ran. */
export const RESPONSE_TYPE = 'application/graphql-response+json'

/** A request of which nothing ran, and why. */
export class NothingRan extends ApiError {
  constructor(readonly errors: readonly GraphQLError[]) {
    super('invalid_request', errors[0]?.message ?? 'Nothing ran')
  }
}

/** What parsing, validation or our own checks found. @throws anything else: it is not the caller's doing */
export function reasonsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof NothingRan) return error.errors
  if (error instanceof GraphQLError) return [error]
  if (error instanceof ApiError && error.status === 400) return [asGraphqlError(error)]
  throw error
}

const asGraphqlError = ({ message, status, type }: ApiError): GraphQLError =>
  new GraphQLError(message, { extensions: { status, type } })

/** GraphQL's form, also of what is refused before a query is read; without data, since nothing ran. */
export const graphqlRefusals: Refusals = {
  mediaTypes: ['application/json', RESPONSE_TYPE],
  body: (error) => JSON.stringify({ errors: error instanceof NothingRan ? error.errors : [asGraphqlError(error)] }),
}
