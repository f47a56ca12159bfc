import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import type { ReadPoint } from '../read-point.js'
import { holdsAt } from '../registries/registry.queries.js'
import type { SchemaRef } from './schema-ref.js'

/** Those of the schemas that anyone may verify at a point. The ledger closes one as soon as a verifier is named. */
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

/** The refusal of naming a verifier of an open schema. */
export const endsOpenness = ({ hash, uri }: SchemaRef): string =>
  `verifierSchemas: anyone may verify ${uri ?? hash}, which naming a verifier would end: close it first`
