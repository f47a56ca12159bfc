import { type Static, Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { answerQuery, queryPoint } from './answer.js'
import { authorityAt } from './authority.js'
import { authorizationOf } from './authorization-of.js'
import { answerShape, TRQP_NOTE } from './query.shape.js'
import { trqpQuestion } from './question.js'
import { QUERY_REASONS } from './reasons.js'

const AuthorizationAnswer = answerShape(
  { authorized: Type.Boolean({ description: 'Whether the authority lets it' }) },
  QUERY_REASONS,
)

export const queryAuthorization = operation({
  ...trqpQuestion,
  url: '/trqp/authorization',
  operationId: 'queryAuthorization',
  summary: 'Ask whether an authority lets an entity issue or verify',
  description: `${TRQP_NOTE}
entity_id is a DID, action issue or verify, resource the URI of a schema or its hash: the same question as GET /trust-registries/{registryId}/authorization, and the same answer.`,
  // The signed form is text.
  examples: {
    'May it issue this schema?': {
      entity_id: EXAMPLE.issuer,
      authority_id: EXAMPLE.trustRegistry,
      action: 'issue',
      resource: EXAMPLE.schema,
    },
  },
  response: { 200: Type.Unsafe<Static<typeof AuthorizationAnswer> | string>(AuthorizationAnswer) },
  handler: async (ctx, { body }) => {
    const at = await queryPoint(ctx, body)
    const registryId = await authorityAt(ctx, { ...body, locator: body.context?.locator }, at)
    const { authorized, explanation, ...evidence } = await authorizationOf(ctx, body, registryId, at)
    return answerQuery(ctx, body, registryId, { verdict: { authorized }, explanation, evidence })
  },
})
