import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { ReadPoint } from '../ecosystems/read-point.js'
import { holdsAt } from '../ecosystems/registry.queries.js'
import type { RegistryRef } from '../ecosystems/slug.js'
import { idOfSlug } from '../ecosystems/slug.queries.js'
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

/** Names by which people know DIDs at a point; the DID itself where there is none. */
export async function namesOf(
  reader: Reader,
  dids: readonly string[],
  { instant }: ReadPoint,
): Promise<(did: string) => string> {
  if (dids.length === 0) return (did) => did
  const { rows } = await sql<{ did: string; name: string }>`
    select did, name from service.profiles_at(${dids}::text[], ${instant}::timestamptz)`.execute(reader)
  const names = new Map(rows.map(({ did, name }) => [did, name]))
  return (did) => names.get(did) ?? did
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

/** What issuers ask for a schema: the ledger's prices by currency. */
export async function pricesOf(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  dids: readonly Did[],
): Promise<(did: Did, schema: Hex32) => Record<string, string>> {
  const { rows } = await sql<{ did: Did; schema_id: Hex32; prices: Record<string, string> }>`
    select i.did, i.schema_id, i.prices from ledger.issuer i
    where i.registry_id = ${registry} and i.did = any(${dids}::text[]) and i.prices <> '{}' and ${holdsAt('i', point)}`.execute(
    reader,
  )
  const prices = new Map(rows.map((row) => [`${row.did} ${row.schema_id}`, row.prices]))
  return (did, schema) => prices.get(`${did} ${schema}`) ?? {}
}
