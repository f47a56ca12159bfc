import type { Hex32 } from '@accredit/chain'
import { openAmong } from '../../ledger/read/registries/registry-schemas.js'
import type { Tx } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { SchemaRef } from '../names/schema-ref.js'
import { presentPoint } from '../read-point.js'
import { endsOpenness } from './ends-openness.js'
import { opennessWith, pendingChanges } from './pending-changes.js'

/**
 * Refuses to name a verifier of an open schema, which would end a right of everybody: the convener asks for that with
 * `public: false`.
 *
 * @throws 409 when one of the schemas is open, or will be after pending changes
 */
export async function refuseEndingOpenness(
  tx: Tx,
  ctx: Context,
  registry: Hex32,
  verifier: readonly SchemaRef[],
): Promise<void> {
  if (verifier.length === 0) return
  const point = await presentPoint(ctx)
  const hashes = verifier.map(({ hash }) => hash)
  const open = await openAmong(tx, point, registry, hashes)
  for (const ref of verifier) {
    const changes = await pendingChanges(tx, registry, point, { schema: ref.hash })
    if (opennessWith(open.has(ref.hash), ref.hash, changes)) throw new ApiError('conflict', endsOpenness(ref))
  }
}
