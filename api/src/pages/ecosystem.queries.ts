import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'

/** Returns the names by which people know schemas; where there is none, the URI, or else the hash. */
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
