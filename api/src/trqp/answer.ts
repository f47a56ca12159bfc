import type { Hex32 } from '@accredit/chain'
import { type At, answerAt } from '../ledger/read/at.js'
import { parseRfc3339 } from '../ledger/read/instant.js'
import { wantedForm } from '../platform/http/accept.js'
import type { PublicContext } from '../platform/http/context.js'
import { ApiError, invalid } from '../platform/http/errors.js'
import { checkIdentifier } from './authority.js'
import { signedAnswer } from './jwt.js'
import type { TrqpQuery } from './query.shape.js'
import { type Reason, sentence } from './reasons.js'

/** The reason of a verdict and its time, at the requested point. */
export interface Evidence {
  reason: Reason
  via?: string
  since?: string
  event?: string
  block: number
  time: string
}

const CONDITIONS = ['time', 'locator']
const FIELDS = ['entity_id', 'authority_id', 'action', 'resource'] as const

/** Checks a query and resolves its instant; the answer names its block from here on. */
export async function queryPoint(ctx: PublicContext, query: TrqpQuery): Promise<At> {
  for (const field of FIELDS) checkIdentifier(query[field], field)
  const unknown = Object.keys(query.context ?? {}).find((name) => !CONDITIONS.includes(name))
  if (unknown !== undefined)
    throw invalid(
      `context.${unknown.slice(0, 64)} is a condition that is not known here: known are ${CONDITIONS.join(', ')}`,
    )
  const time = query.context?.time || undefined
  if (time !== undefined && parseRfc3339(time) === undefined)
    throw invalid('context.time must be an RFC 3339 instant with its offset, such as 2026-01-31T12:00:00Z')
  return answerAt(ctx, time, { name: "'context.time'" })
}

/** Returns the protocol's answer; as a JWS where the caller wants that at least as much as JSON, and it can be made. */
export async function answerQuery<V extends { authorized: boolean } | { recognized: boolean }>(
  ctx: PublicContext,
  query: TrqpQuery,
  registryId: Hex32,
  { verdict, explanation, evidence }: { verdict: V; explanation: string; evidence: Evidence },
) {
  const { entity_id, authority_id, action, resource, context } = query
  const requested = context?.time || undefined
  const answer = {
    entity_id,
    authority_id,
    action,
    resource,
    ...verdict,
    ...(requested !== undefined && { time_requested: requested }),
    time_evaluated: ctx.clock.now().toISOString(),
    message: sentence(verdict, explanation),
    ...(context && { context }),
    evidence,
  }
  ctx.reply.header('Vary', 'Accept')
  const wanted = wantedForm(ctx.accept, ['application/jwt'])
  if (wanted.named === undefined) return answer
  const signed = await signedAnswer(ctx, registryId, answer)
  if (signed !== undefined) return signed
  if (!wanted.json)
    throw new ApiError(
      'not_acceptable',
      'No key of the convener of this registry is held here: ask for application/json',
    )
  return answer
}
