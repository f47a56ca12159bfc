import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'

type Read = { db: { read<T>(scope: 'public', run: (reader: Reader) => Promise<T>): Promise<T> } }

/** The URIs of schema hashes, where this service has met them: the ledger knows hashes only. */
export async function schemaUris(
  ctx: Read,
  hashes: Iterable<string | null>,
): Promise<(hash: string) => string | undefined> {
  const wanted = [...new Set(hashes)].filter((hash) => hash !== null)
  if (wanted.length === 0) return () => undefined
  const { rows } = await ctx.db.read('public', (reader) =>
    sql<{ hash: string; uri: string }>`
      select hash, uri from service.schema_uris where hash = any(${wanted}::text[])
      union select hash, id as uri from service.schemas where hash = any(${wanted}::text[])`.execute(reader),
  )
  const uris = new Map(rows.map(({ hash, uri }) => [hash, uri]))
  return (hash) => uris.get(hash)
}
