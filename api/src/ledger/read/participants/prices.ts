import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { deactivatedAt } from '../dids/existence.js'
import { type AtBlock, validAt } from '../temporal.js'
import type { SchemaPlace } from './rights.js'

/**
 * The rows `(issuer, verifier, currency, digits)`: the prices that issuers of `p (registry_id, schema_id)` ask of
 * everybody. An issuer has one price at least, so that `most` issuers are enough.
 */
export const askedOfAll = (point: AtBlock, issuer: Did | undefined, most: number) => sql`
  select i.did as issuer, null::text as verifier, e.key as currency, e.value as digits
  from (
    select i.did, i.prices from ledger.issuer i
    where i.registry_id = p.registry_id and i.schema_id = p.schema_id ${issuer === undefined ? sql`` : sql`and i.did = ${issuer}`}
      and i.prices <> '{}' and ${validAt('i', point.block)} and not ${deactivatedAt('i', point)}
    order by i.did limit ${most}) i
  cross join lateral jsonb_each_text(i.prices) e`

/** The rows `(did, prices)`: the issuers of a schema at a block and the prices that each asks of everybody. */
export const issuersWithPrices = ({ registry, schema }: SchemaPlace, { block }: AtBlock) => sql`
  select i.did, i.prices from ledger.issuer i
  where i.registry_id = ${registry} and i.schema_id = ${schema} and ${validAt('i', block)}`

/** Tells whether any issuer of a schema has a price there. */
export async function isPriced(reader: Reader, { block }: AtBlock, registry: Hex32, schema: Hex32): Promise<boolean> {
  const { rows } = await sql`
    select from ledger.issuer i where i.registry_id = ${registry} and i.schema_id = ${schema}
      and i.prices <> '{}' and ${validAt('i', block)} limit 1`.execute(reader)
  return rows.length > 0
}
