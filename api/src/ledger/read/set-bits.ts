import { sql } from 'kysely'
import type { IndexDb } from './index-db.js'
import { type AtBlock, validAt } from './temporal.js'

/** One place of a list. */
export interface StatusPlace {
  registry_id: string
  index: number
}

export const placeKey = ({ registry_id, index }: StatusPlace): string => `${registry_id}#${index}`

/** Returns the places whose bit is set, as `placeKey`s; one query for all. */
export async function setBitsAt(
  { db }: Pick<IndexDb, 'db'>,
  places: readonly StatusPlace[],
  { block }: AtBlock,
): Promise<Set<string>> {
  if (places.length === 0) return new Set()
  const registries = places.map((place) => place.registry_id)
  const indexes = places.map((place) => place.index)
  const { rows } = await sql<StatusPlace>`
    select b.registry_id, b.index
    from unnest(${registries}::text[], ${indexes}::int[]) as p (registry_id, index)
      join ledger.status_bit b on b.registry_id = p.registry_id and b.index = p.index
    where ${validAt('b', block)}`.execute(db)
  return new Set(rows.map(placeKey))
}

/** Returns those of the registries that were removed; one query for all. */
export async function removedAt(
  { db }: Pick<IndexDb, 'db'>,
  registryIds: readonly string[],
  { block }: AtBlock,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select wanted.id from unnest(${[...new Set(registryIds)]}::text[]) as wanted (id), lateral (
      select r.to_block from ledger.revocation_registry r
      where r.registry_id = wanted.id and r.from_block <= ${block} order by r.from_block desc limit 1) newest
    where newest.to_block <= ${block}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
