import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Context } from '../platform/context.js'
import type { Reader, Tx } from '../platform/database/database.js'
import { ApiError } from '../platform/errors.js'
import { factsOnTheirWay, opennessWith } from './on-its-way.js'
import { presentPoint, type ReadPoint } from './read-point.js'
import { holdsAt } from './registry.queries.js'
import type { SchemaRef } from './schema-ref.js'

/** Which of these schemas anyone may verify at a point. The ledger takes that from them as soon as a verifier is named. */
export async function openAmong(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  schemas: readonly Hex32[],
): Promise<Set<Hex32>> {
  if (schemas.length === 0) return new Set()
  const { rows } = await sql<{ schema_id: Hex32 }>`
    select x.schema_id from ledger.registry_schema x
    where x.registry_id = ${registry} and x.schema_id = any(${schemas}::text[]) and x.is_public
      and ${holdsAt('x', point)}`.execute(reader)
  return new Set(rows.map(({ schema_id }) => schema_id))
}

/** What is said of naming a verifier of an open schema. */
export const endsOpenness = ({ hash, uri }: SchemaRef): string =>
  `verifierSchemas: anyone may verify ${uri ?? hash}, which naming a verifier would end: close it first`

/**
 * Nobody ends for all others what anyone may do, by naming one verifier: that is the convener's to say, with `public: false`.
 *
 * @throws 409 when one of the schemas is open, or will be with what is on its way
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
    const facts = await factsOnTheirWay(tx, registry, point, { schema: ref.hash })
    if (opennessWith(open.has(ref.hash), ref.hash, facts)) throw new ApiError('conflict', endsOpenness(ref))
  }
}
