import { type Did, type Hex32, parseAnyDid } from '@accredit/chain'
import { schemaRef } from '../ecosystems/names/schema-ref.js'
import type { At } from '../ledger/read/at.js'
import { authorizationAt } from '../ledger/read/authorization.js'
import type { ContextServices } from '../platform/http/context.js'
import type { Evidence } from './answer.js'
import { roleOfAction } from './reasons.js'

interface Question {
  entity_id: string
  action: string
  resource: string
}

export type Authorization = Evidence & { authorized: boolean; explanation: string }

/**
 * Returns a registry's answer about an entity at a point. A question that the ledger cannot answer is not sent to it.
 */
export async function authorizationOf(
  { index }: Pick<ContextServices, 'index'>,
  { entity_id, action, resource }: Question,
  registryId: Hex32,
  at: At,
): Promise<Authorization> {
  const role = roleOfAction(action)
  const did: Did | undefined = parseAnyDid(entity_id)
  const schema = schemaRef(resource)
  if (role === undefined) return silence('unknown_action', at)
  if (did === undefined) return silence('unknown_entity', at)
  if (schema === undefined) return silence('unknown_schema', at)
  return authorizationAt(index, { registryId, schemaId: schema.hash, did, role, at })
}

const EXPLANATIONS = {
  unknown_action: 'The registry says nothing about this action.',
  unknown_entity: 'It is no DID that a registry can list.',
  unknown_schema: 'The registry does not have this resource.',
  no_authority: 'It is no other authority with a registry that is this resource.',
  not_listed: 'The registry does not list it.',
}

/** Returns the answer to a question that no registry decides. */
export const silence = (reason: keyof typeof EXPLANATIONS, { block, time }: At): Authorization => ({
  authorized: false,
  reason,
  explanation: EXPLANATIONS[reason],
  block,
  time: time.toISOString(),
})
