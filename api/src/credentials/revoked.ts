import { resolveAt } from '../ledger/at.js'
import type { Context } from '../platform/context.js'
import { placeKey, type StatusPlace, setBitsAt } from '../revocation/set-bits.js'
import type { CredentialRow } from './credential.store.js'

/** Which of these credentials are revoked now, as the ledger says. @throws 503 when the ledger cannot be asked */
export async function revokedAmong(
  ctx: Pick<Context, 'index' | 'clock'>,
  rows: readonly CredentialRow[],
): Promise<(row: CredentialRow) => boolean> {
  const places = rows.flatMap((row) => placeOf(row) ?? [])
  if (places.length === 0) return () => false
  const set = await setBitsAt(ctx.index, places, await resolveAt(ctx.index, undefined, ctx.clock))
  return (row) => {
    const place = placeOf(row)
    return place !== undefined && set.has(placeKey(place))
  }
}

const placeOf = ({ registry_id, status_index }: CredentialRow): StatusPlace | undefined =>
  registry_id === null || status_index === null ? undefined : { registry_id, index: status_index }
