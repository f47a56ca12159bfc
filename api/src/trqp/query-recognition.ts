import type { Hex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import type { At } from '../ledger/read/at.js'
import type { PublicContext } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { answerQuery, queryPoint } from './answer.js'
import { authorityAt, convenerAt, convenes, namesRegistryOf } from './authority.js'
import { type Authorization, authorizationOf, silence } from './authorization-of.js'
import { listedIn } from './listed-in.js'
import { answerShape, TRQP_NOTE, type TrqpQuery } from './query.shape.js'
import { trqpQuestion } from './question.js'
import { RECOGNITION_REASONS } from './reasons.js'

const RecognitionAnswer = answerShape(
  { recognized: Type.Boolean({ description: 'Whether the authority recognises it' }) },
  RECOGNITION_REASONS,
)

export const queryRecognition = operation({
  ...trqpQuestion,
  url: '/trqp/recognition',
  operationId: 'queryRecognition',
  summary: 'Ask whether an authority recognises another one',
  description: `${TRQP_NOTE}
entity_id is another authority, named like authority_id. A registry recognises another one by listing its convener: that is the only word that the ledger has from one authority about another.
With action recognize, resource is the recognised registry (named likewise), and any right that is its convener's own and in force is enough.
With action issue or verify, resource is a schema, and the right must be for it. What anyone may do, or what somebody else delegated, is no recognition; neither is listing oneself, in whichever registry of one's own.`,
  // The signed form is text.
  examples: {
    'Does one authority recognise another?': {
      entity_id: EXAMPLE.issuer,
      authority_id: EXAMPLE.trustRegistry,
      action: 'recognize',
      resource: EXAMPLE.schema,
    },
  },
  response: { 200: Type.Unsafe<Static<typeof RecognitionAnswer> | string>(RecognitionAnswer) },
  handler: async (ctx, { body }) => {
    const at = await queryPoint(ctx, body)
    const registryId = await authorityAt(ctx, { ...body, locator: body.context?.locator }, at)
    const { authorized, explanation, ...evidence } = await wordAbout(ctx, body, registryId, at)
    const isOwnWord = evidence.reason === 'direct'
    if (!authorized || isOwnWord)
      return answerQuery(ctx, body, registryId, { verdict: { recognized: authorized }, explanation, evidence })
    const { block, time } = evidence
    return answerQuery(ctx, body, registryId, {
      verdict: { recognized: false },
      explanation: 'What it may do there is not by the word of the registry about it.',
      evidence: { reason: 'not_listed', block, time },
    })
  },
})

/** Returns a registry's answer about another authority. */
async function wordAbout(ctx: PublicContext, query: TrqpQuery, registryId: Hex32, at: At): Promise<Authorization> {
  const convener = await convenerAt(ctx, query.entity_id, at)
  if (convener === undefined) return silence('unknown_entity', at)
  const isGeneral = query.action === 'recognize'
  const named = isGeneral ? query.resource : query.entity_id
  const isOtherAuthority =
    !(await convenes(ctx, convener, at, registryId)) &&
    (await namesRegistryOf(ctx, query.entity_id, convener, at)) &&
    (await namesRegistryOf(ctx, named, convener, at))
  if (!isOtherAuthority) return silence('no_authority', at)
  if (isGeneral) return listedIn(ctx, registryId, convener, at)
  return authorizationOf(ctx, { ...query, entity_id: convener }, registryId, at)
}
