import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { deactivatedAt } from '../dids/existence.js'
import { type AtBlock, validAt } from '../temporal.js'

/** A schema of a registry. */
export interface SchemaPlace {
  registry: Hex32
  schema: Hex32
}

/** The schemas of a registry in which a DID has a role at a block, as rows with their columns in the index. */
export const rightsOf = (
  role: 'issuer' | 'verifier',
  registry: RawBuilder<unknown>,
  did: RawBuilder<unknown>,
  { block }: AtBlock,
) => sql`
  select l.* from ${sql.table(`ledger.${role}`)} l
  where l.registry_id = ${registry} and l.did = ${did} and ${validAt('l', block)}`

/**
 * Selects the DIDs that may issue each schema in some registry, for themselves or as delegates, where they are not
 * suspended.
 */
export async function issuersAmong(
  reader: Reader,
  { block }: AtBlock,
  schemas: readonly Hex32[],
  dids: RawBuilder<unknown>,
): Promise<Map<Hex32, Did[]>> {
  const suspended = (did: string) => sql`exists (select 1 from ledger.suspension x
    where x.registry_id = p.registry_id and x.did = ${sql.ref(did)} and ${validAt('x', block)} offset 0)`
  // The statement begins at the DIDs that are asked about: the number of other issuers costs nothing.
  const { rows } = await sql<{ schema: Hex32; dids: Did[] }>`
    with own as materialized (${dids}),
    place as (
      select i.registry_id, i.schema_id, i.did as issuer, i.did from ledger.issuer i
      where i.did = any(array(select did from own)) and i.schema_id = any(${schemas}::text[]) and ${validAt('i', block)}
      union all
      select d.registry_id, i.schema_id, d.issuer, d.delegate from ledger.delegation d
        join ledger.issuer i on i.registry_id = d.registry_id and i.did = d.issuer and ${validAt('i', block)}
      where d.delegate = any(array(select did from own)) and i.schema_id = any(${schemas}::text[]) and ${validAt('d', block)}
    )
    select p.schema_id as schema, array_agg(distinct p.did) as dids from place p
    where not ${suspended('p.issuer')} and not ${suspended('p.did')}
    group by p.schema_id`.execute(reader)
  return new Map(rows.map(({ schema, dids: issuers }) => [schema, issuers]))
}

/**
 * Tells in SQL whether the DID `did` of row `p (registry_id, schema_id)` issues that schema at a block and is not
 * deactivated then.
 */
export const issuesThere = (did: string, point: AtBlock): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.issuer i where i.registry_id = p.registry_id and i.schema_id = p.schema_id
    and i.did = ${sql.ref(did)} and ${validAt('i', point.block)} and not ${deactivatedAt('i', point)})`

/** Tells in SQL whether DID `did` of row `p (registry_id, schema_id)` is a named verifier of the schema at a block. */
export const verifiesThere = (did: string, { block }: AtBlock): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.verifier v where v.registry_id = p.registry_id and v.schema_id = p.schema_id
    and v.did = ${sql.ref(did)} and ${validAt('v', block)})`

/** Tells whether a DID is named as a verifier of a schema. */
export async function isVerifier(
  reader: Reader,
  { block }: AtBlock,
  { registry, schema }: SchemaPlace,
  did: Did,
): Promise<boolean> {
  const { rows } = await sql`
    select from ledger.verifier v where v.registry_id = ${registry} and v.schema_id = ${schema} and v.did = ${did}
      and ${validAt('v', block)}`.execute(reader)
  return rows.length > 0
}
