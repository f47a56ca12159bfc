import { sql } from 'kysely'
import type { ReadPoint } from '../ecosystems/read-point.js'
import type { RegistryRef } from '../ecosystems/registries/slug.js'
import { idOfSlug } from '../ecosystems/registries/slug.queries.js'
import type { Reader } from '../platform/database/database.js'

/** When the ledger got the registry that a reference means, and when it lost it for good. */
export interface Life {
  created: Date
  removed: Date | null
}

export async function lifeOf(reader: Reader, ref: RegistryRef, point: ReadPoint): Promise<Life | undefined> {
  const id = 'id' in ref ? sql`${ref.id}::text` : idOfSlug(ref.slug, point)
  const { rows } = await sql<Life>`
    select f.time as created, t.time as removed
    from (select min(r.from_block) as first, case when bool_and(r.to_block is not null) then max(r.to_block) end as last
      from ledger.trust_registry r where r.registry_id = ${id}) life
    join ledger.block f on f.height = life.first left join ledger.block t on t.height = life.last`.execute(reader)
  return rows[0]
}

/** Names by which people know schemas; the URI, or else the hash, where there is none. */
export async function schemaNames(reader: Reader, hashes: Iterable<string>): Promise<(hash: string) => string> {
  const wanted = [...new Set(hashes)]
  if (wanted.length === 0) return (hash) => hash
  const { rows } = await sql<{ hash: string; name: string }>`
    select w.hash, coalesce(h.name, u.uri) as name from unnest(${wanted}::text[]) as w(hash)
    left join service.schemas h on h.hash = w.hash left join service.schema_uris u on u.hash = w.hash
    where coalesce(h.name, u.uri) is not null`.execute(reader)
  const names = new Map(rows.map(({ hash, name }) => [hash, name]))
  return (hash) => names.get(hash) ?? hash
}
