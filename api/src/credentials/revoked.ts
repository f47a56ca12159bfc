import { resolveAt } from '../ledger/read/at.js'
import { placeKey, removedAt, type StatusPlace, setBitsAt } from '../ledger/read/set-bits.js'
import type { Context } from '../platform/http/context.js'
import type { CredentialRow } from './credential.store.js'

/**
 * Finds the credentials that are revoked on the ledger now, or whose registry was removed.
 * @throws 503 when the ledger cannot be asked
 */
export async function revokedAmong(
  ctx: Pick<Context, 'index' | 'clock'>,
  rows: readonly CredentialRow[],
): Promise<(row: CredentialRow) => boolean> {
  const places = rows.flatMap((row) => placeOf(row) ?? [])
  if (places.length === 0) return () => false
  const at = await resolveAt(ctx.index, undefined, ctx.clock)
  const registries = places.map(({ registry_id }) => registry_id)
  const [set, removed] = await Promise.all([setBitsAt(ctx.index, places, at), removedAt(ctx.index, registries, at)])
  return (row) => {
    const place = placeOf(row)
    return place !== undefined && (set.has(placeKey(place)) || removed.has(place.registry_id))
  }
}

const placeOf = ({ registry_id, status_index }: CredentialRow): StatusPlace | undefined =>
  registry_id === null || status_index === null ? undefined : { registry_id, index: status_index }
