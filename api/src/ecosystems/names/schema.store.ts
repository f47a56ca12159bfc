import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import '../tables.js'
import { parseSchemaRefs, type SchemaRef } from './schema-ref.js'

/** Locks a schema: others that open or close it at the same moment come before or after. */
export async function lockSchema(tx: Tx, registry: Hex32, schema: Hex32): Promise<void> {
  const lock = `service.registry_schemas ${registry} ${schema}`
  await lockByName(tx, lock)
}

/**
 * Checks schemas that a caller names. One with an address of this service that does not exist is a mistake, and
 * refused.
 */
export async function namedSchemas(ctx: Context, texts: readonly string[], field: string): Promise<SchemaRef[]> {
  const refs = parseSchemaRefs(texts, field)
  const hosted = refs.flatMap(({ uri }) => (uri?.startsWith(`${ctx.config.schemaUrl}/`) ? [uri] : []))
  if (hosted.length === 0) return refs
  const { rows } = await ctx.db.read(ctx.scope, (reader) =>
    sql<{ uri: string }>`
      select uri from unnest(${hosted}::text[]) with ordinality as named (uri, n)
      where not exists (select 1 from service.schemas s where s.id = named.uri and s.deleted is null)
      order by n limit 1`.execute(reader),
  )
  const [unknown] = rows
  if (unknown) throw invalid(`${field}: there is no schema ${unknown.uri}`)
  return refs
}

/** Remembers the URIs of schemas that a caller named, since the ledger knows their hashes only. */
export async function rememberSchemas(tx: Tx, refs: readonly SchemaRef[]): Promise<void> {
  const rows = refs.flatMap(({ hash, uri }) => (uri === undefined ? [] : [{ hash, uri }]))
  if (rows.length === 0) return
  await tx
    .insertInto('schema_uris')
    .values(rows)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
}
