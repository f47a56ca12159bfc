import { Type } from 'typebox'
import { namedDid } from '../dids/did-param.js'
import { parseSchemaRef } from '../ecosystems/names/schema-ref.js'
import { type At, AtQuery, answerAt, resolveAt } from '../ledger/read/at.js'
import { AUTHORIZATION_REASONS, type Authorization, authorizationAt } from '../ledger/read/authorization.js'
import { keptEntityTag } from '../platform/http/caching/entity-tag.js'
import { schemaRefText } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { RegistryParams, registryIdOf } from './registry-param.js'

const AuthorizationAnswer = Type.Object({
  authorized: Type.Boolean({ description: 'Whether it may' }),
  reason: Type.Enum([...AUTHORIZATION_REASONS], { description: 'Why, in one word' }),
  via: Type.Optional(Type.String({ description: 'The issuer that delegated' })),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The time at which the last of the facts came true that the reason rests on',
    }),
  ),
  event: Type.Optional(
    Type.String({ description: 'The event that made it so, <block>-<index>; absent for what was never otherwise' }),
  ),
  explanation: Type.String({ description: 'Why, since when and by which event, in one sentence' }),
  block: Type.Integer({ description: 'The block that the answer is true for' }),
  time: Type.String({ format: 'date-time', description: 'The time of that block' }),
})

export const AuthorizationQuery = Type.Object({
  did: Type.String({ maxLength: 512, description: 'The DID that would issue or verify' }),
  schema: schemaRefText(),
  role: Type.Union([Type.Literal('issuer'), Type.Literal('verifier')], {
    description: 'The role in which it would act',
  }),
  at: AtQuery.properties.at,
})

export const getAuthorization = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/authorization',
  operationId: 'getAuthorization',
  tags: ['trustRegistries'],
  summary: 'Ask whether a DID may issue or verify a schema',
  description:
    'The question that every verifier asks, at any point of the past. Unknown registries and schemas are an answer, not an error.',
  auth: 'public',
  tenancy: 'public',
  params: RegistryParams,
  querystring: AuthorizationQuery,
  response: { 200: AuthorizationAnswer },
  errors: ['ledger_unavailable'],
  tagged: true,
  presentState: async ({ index, clock }) => (await resolveAt(index, undefined, clock)).hash,
  handler: async (ctx, { params, query }) => {
    const did = namedDid(query.did, 'did')
    const { hash: schemaId } = parseSchemaRef(query.schema, 'schema')
    const at = await answerAt(ctx, query.at)
    const registryId = await registryIdOf(ctx, params.registryId, at)
    const answer =
      registryId === undefined
        ? unknownRegistry(at)
        : await authorizationAt(ctx.index, { registryId, schemaId, did, role: query.role, at })
    ctx.reply.header('ETag', keptEntityTag(answer))
    // A slug means what our own database says, which the ledger settles nothing of.
    const isOfLedger = registryId === params.registryId
    ctx.reply.header('Cache-Control', isOfLedger && at.isSettled ? 'public, max-age=86400, immutable' : 'no-cache')
    // A block that a fork may take back could be answered for by another one of its height.
    if (isOfLedger && at.isFinal && query.at === undefined) ctx.reply.keepWhile(at.hash)
    return answer
  },
})

/** A slug that nobody has, like an id that nobody has. */
export function unknownRegistry({ block, time }: At): Authorization {
  const explanation = 'There is no such registry.'
  return { authorized: false, reason: 'unknown_registry', explanation, block, time: time.toISOString() }
}
