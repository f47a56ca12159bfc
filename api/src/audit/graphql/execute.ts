import {
  type DefinitionNode,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  execute as graphqlExecute,
  Kind,
  parse,
  validate,
  visit,
} from 'graphql'
import { ApiError } from '../../platform/errors.js'
import type { PublicContext } from '../../platform/http/context.js'
import { refuseUnstorable } from '../../platform/http/input/request-body.js'
import { schema } from './built-schema.js'
import { demandOf, MAX_COST, MAX_DEPTH } from './cost.js'
import { refuseDearIntrospection } from './introspection.js'
import { NothingRan } from './refusals.js'
import { query } from './resolvers.js'

const MAX_TOKENS = 1_000

/**
 * Returns a document of queries alone that is within every limit.
 *
 * @throws the reason for which it cannot run
 */
export function parsed(text: string, variables: Record<string, unknown>): DocumentNode {
  const document = parse(text, { maxTokens: MAX_TOKENS })
  const isQuery = (part: DefinitionNode) => part.kind !== Kind.OPERATION_DEFINITION || part.operation === 'query'
  if (!document.definitions.every(isQuery)) throw new GraphQLError('Only queries can be asked')
  const { depth, cost } = demandOf(document, variables)
  if (depth > MAX_DEPTH) throw new GraphQLError(`The query has ${MAX_DEPTH} levels at most`)
  if (cost > MAX_COST) throw new GraphQLError(`The query costs ${cost}, more than ${MAX_COST}: ask for less at once`)
  refuseUnstorable(variables)
  visit(document, { StringValue: ({ value }) => refuseUnstorable(value) })
  const errors = validate(schema, document)
  if (errors.length > 0) throw new NothingRan(errors.map(withType))
  refuseDearIntrospection(document, variables)
  return document
}

/**
 * Runs a document and returns its answer.
 *
 * @throws `NothingRan` where its operation cannot begin
 */
export async function execute(
  ctx: PublicContext,
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  operationName: string | undefined,
): Promise<ExecutionResult> {
  const { data, errors } = await graphqlExecute({
    schema,
    document,
    rootValue: query,
    contextValue: ctx,
    variableValues,
    ...(operationName !== undefined && { operationName }),
  })
  const told = errors?.map((error) => shown(error, ctx))
  if (data === undefined) throw new NothingRan(told ?? [])
  return told ? { data, errors: told } : { data }
}

/** Our own errors are shown; an internal error is logged and not shown. */
function shown(error: GraphQLError, ctx: PublicContext): GraphQLError {
  const { originalError: cause } = error
  if (cause instanceof ApiError) return withType(error)
  if (cause === undefined || cause === null || cause instanceof GraphQLError) return error
  ctx.log.error({ err: cause }, 'a graphql field failed')
  return told(error, 'Something went wrong here', { status: 500, type: 'internal_error' })
}

/** An error of our own carries the type of the one error body. */
function withType(error: GraphQLError): GraphQLError {
  const { originalError: cause } = error
  return cause instanceof ApiError ? told(error, cause.message, { status: cause.status, type: cause.type }) : error
}

function told({ path, nodes }: GraphQLError, message: string, extensions: { status: number; type: string }) {
  return new GraphQLError(message, { ...(nodes && { nodes }), ...(path && { path }), extensions })
}
