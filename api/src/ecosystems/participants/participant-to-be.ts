import { parseHex32 } from '@accredit/chain'
import type { ExpectedChange } from '../../ledger/read/registries/expected-change.js'
import type { Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { pendingChanges } from '../pending/pending-changes.js'
import { presentPoint } from '../read-point.js'
import { type ParticipantRow, participantByDid } from './participant.queries.js'
import { lockParticipant } from './participant.store.js'
import { participantNotFound } from './participant-access.js'

/**
 * A participant as the ledger has it, and as it will be after all pending changes. Another change of it goes before or
 * after this one.
 */
export async function participantToBe(
  tx: Tx,
  ctx: Context,
  { registry_id, did }: Pick<ParticipantRow, 'registry_id' | 'did'>,
): Promise<{ present: ParticipantRow; toBe: ParticipantRow }> {
  await lockParticipant(tx, registry_id, did)
  const point = await presentPoint(ctx)
  const present = await participantByDid(tx, point, registry_id, did)
  if (!present) throw participantNotFound()
  const changes = await pendingChanges(tx, registry_id, point, { did })
  return { present, toBe: participantWith(present, changes, ctx.clock.now()) }
}

function participantWith(row: ParticipantRow, changes: readonly ExpectedChange[], now: Date): ParticipantRow {
  const rights = { issuer: new Set(row.issuer_ids), verifier: new Set(row.verifier_ids) }
  let { suspended_at } = row
  for (const change of changes) {
    if (change.of === 'schema' && !change.holds) for (const role of Object.values(rights)) drop(role, change.schema)
    if (change.of === 'public' && change.holds) drop(rights.verifier, change.schema)
    if (!('did' in change) || change.did !== row.did) continue
    if (change.of === 'suspended') suspended_at = change.holds ? (suspended_at ?? now) : null
    if (change.of === 'issuer' || change.of === 'verifier') {
      drop(rights[change.of], change.schema)
      const schema = change.holds ? parseHex32(change.schema) : undefined
      if (schema) rights[change.of].add(schema)
    }
  }
  return { ...row, suspended_at, issuer_ids: [...rights.issuer], verifier_ids: [...rights.verifier] }
}

const drop = (schemas: Set<string>, schema: string): boolean => schemas.delete(schema)
