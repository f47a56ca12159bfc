import { resolveAt } from '../ledger/read/at.js'
import { placeKey, removedAt, type StatusPlace, setBitsAt } from '../ledger/read/set-bits.js'
import type { Context } from '../platform/http/context.js'
import { termsOf } from '../status/list-terms.js'
import type { CredentialRow } from './credential.store.js'

/**
 * Finds the credentials that are revoked on the ledger now, or whose registry was removed.
 * @throws 503 when the ledger cannot be asked
 */
export async function revokedAmong(
  ctx: Pick<Context, 'db' | 'index' | 'clock'>,
  rows: readonly CredentialRow[],
): Promise<(row: CredentialRow) => boolean> {
  const places = rows.flatMap((row) => placeOf(row) ?? [])
  if (places.length === 0) return () => false
  const at = await resolveAt(ctx.index, undefined, ctx.clock)
  const registries = places.map(({ registry_id }) => registry_id)
  const [set, removed, messages] = await Promise.all([
    setBitsAt(ctx.index, places, at),
    removedAt(ctx.index, registries, at),
    messageLists(ctx, registries),
  ])
  return (row) => {
    const place = placeOf(row)
    if (place === undefined) return false
    return removed.has(place.registry_id) || (set.has(placeKey(place)) && !messages.has(place.registry_id))
  }
}

/** The registries whose bits take nothing from a credential. */
async function messageLists({ db }: Pick<Context, 'db'>, registries: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const id of new Set(registries)) if ((await termsOf(db, id)).purpose === 'message') found.add(id)
  return found
}

const placeOf = ({ registry_id, status_index }: CredentialRow): StatusPlace | undefined =>
  registry_id === null || status_index === null ? undefined : { registry_id, index: status_index }
