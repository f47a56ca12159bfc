import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { presentHeight } from '../blocks.js'
import { deactivatedAt } from '../dids/existence.js'
import { type AtBlock, validAt } from '../temporal.js'
import { partOf } from './participant-counts.js'

/** The value is written into the text, so that its index serves a plan for any values too. */
const ANY = sql.lit(partOf({}))

/**
 * The rows `x (registry_id, did, since)` of those who have a right in a registry, or one for a schema, with the time
 * since which they have the oldest of these. It is the text between `select` and the end of the conditions.
 *
 * @param scope conditions over the columns registry_id and did of `x`
 */
export const listed = ({ block }: AtBlock, scope: RawBuilder<boolean>, schema?: Hex32 | undefined) => sql`
  from ledger.listing x where ${scope} and x.part = ${schema ?? ANY} and ${validAt('x', block)}`

/** Tells in SQL whether a DID is listed in a schema of a registry at a block. */
export const isListedIn = (
  registry: RawBuilder<unknown>,
  did: RawBuilder<unknown>,
  schema: Hex32,
  { block }: AtBlock,
): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.listing l where l.registry_id = ${registry} and l.did = ${did}
    and l.part = ${schema} and ${validAt('l', block)})`

/**
 * Tells in SQL whether a DID is listed in a registry at the present block. `offset 0` makes Postgres look it up alone,
 * among any number.
 */
export const isListedNow = (registry: RawBuilder<unknown>, did: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from ledger.listing l
    where l.did = ${did} and l.registry_id = ${registry} and l.part = 'any' and ${validAt('l', presentHeight)} offset 0)`

/** The newest DIDs of a schema, as an array. */
export const newestOf = (
  registry: RawBuilder<unknown>,
  schema: RawBuilder<unknown>,
  { block }: AtBlock,
  most: number,
): RawBuilder<Did[]> => sql`array(
  select l.did from ledger.listing l
  where l.registry_id = ${registry} and l.part = ${schema} and ${validAt('l', block)}
  order by l.since desc, l.did limit ${most})`

/**
 * Selects the DID that is, or was, listed in a registry and for which a condition over `l` holds. An index has the
 * first six bytes of the hash of each entry, which leads to the few rows that the condition is checked on.
 */
export const didOfPlace = (registry: Hex32, hashStart: RawBuilder<unknown>, isMeant: RawBuilder<boolean>) => sql`(
  select l.did from ledger.listing l where l.part = 'any' and l.registry_id = ${registry}
    and substr(sha256((l.registry_id || '/' || l.did)::bytea), 1, 6) = ${hashStart}
    and ${isMeant} limit 1)`

/**
 * Returns the verifiers of a schema, in the order of listing; with an issuer, only where that issuer is listed too.
 * Deactivated DIDs are neither.
 */
export async function verifiersAt(
  reader: Reader,
  point: AtBlock,
  registry: Hex32,
  schema: Hex32,
  issuer: Did | undefined,
): Promise<Did[]> {
  const { block } = point
  const issued = issuer
    ? sql`and exists (select 1 from ledger.issuer i where i.registry_id = ${registry}
        and i.schema_id = ${schema} and i.did = ${issuer} and ${validAt('i', block)}
        and not ${deactivatedAt('i', point)})`
    : sql``
  // There is a list for each block, the newest first, as the index has them: thousands are no rows of their own.
  const { rows } = await sql<{ dids: Did[] }>`
    select json_agg(v.did order by v.did collate "C") as dids from ledger.listing v
    where v.registry_id = ${registry} and v.part = ${partOf({ role: 'verifier', schemaId: schema })}
      and v.from_block <= ${block}::int and (v.active_to is null or v.active_to > ${block}::int) ${issued}
    group by v.since order by v.since desc`.execute(reader)
  return rows.reverse().flatMap(({ dids }) => dids)
}
