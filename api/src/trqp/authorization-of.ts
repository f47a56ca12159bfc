import { type Did, type Hex32, parseDid } from '@accredit/chain'
import { schemaRef } from '../ecosystems/schema-ref.js'
import type { At } from '../ledger/at.js'
import { authorizationAt } from '../ledger/authorization.js'
import type { ContextServices } from '../platform/context.js'
import type { Evidence } from './answer.js'
import { type Reason, roleOfAction } from './reasons.js'

interface Question {
  entity_id: string
  action: string
  resource: string
}

export type Authorization = Evidence & { authorized: boolean }

/** What a registry says of an entity at a point. What the ledger cannot be asked about is told without asking it. */
export async function authorizationOf(
  { index }: Pick<ContextServices, 'index'>,
  { entity_id, action, resource }: Question,
  registryId: Hex32,
  at: At,
): Promise<Authorization> {
  const role = roleOfAction(action)
  const did: Did | undefined = parseDid(entity_id)
  const schema = schemaRef(resource)
  if (role === undefined) return silence('unknown_action', at)
  if (did === undefined) return silence('unknown_entity', at)
  if (schema === undefined) return silence('unknown_schema', at)
  return authorizationAt(index, { registryId, schemaId: schema.hash, did, role, at })
}

export const silence = (reason: Reason, { block, time }: At): Authorization => ({
  authorized: false,
  reason,
  block,
  time: time.toISOString(),
})
