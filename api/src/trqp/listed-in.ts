import type { Did, Hex32 } from '@accredit/chain'
import type { At } from '../ledger/read/at.js'
import { authorizationAt } from '../ledger/read/authorization.js'
import { participantEntryAt } from '../ledger/read/participants/participant-entry.js'
import type { ContextServices } from '../platform/http/context.js'
import { type Authorization, silence } from './authorization-of.js'

/**
 * Returns a registry's answer about a DID that it lists, in any schema and role. Suspension and deactivation hold for
 * all of them, so that one entry tells.
 */
export async function listedIn(
  { index }: Pick<ContextServices, 'index'>,
  registryId: Hex32,
  did: Did,
  at: At,
): Promise<Authorization> {
  const entry = await participantEntryAt(index, registryId, did, at)
  return entry ? authorizationAt(index, { registryId, did, ...entry, at }) : silence('not_listed', at)
}
