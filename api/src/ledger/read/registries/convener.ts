import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../platform/database/database.js'
import { presentHeight } from '../blocks.js'
import { unendedAt, validAt } from '../temporal.js'

/**
 * Tells in SQL whether a DID convenes any registry, or does so by a block after the present one: a transfer that is not
 * final may be taken back, or may stay, and a DID that is needed either way is not let go. `offset 0` makes Postgres
 * look it up alone, whatever other conveners there are.
 */
export const isConvener = (did: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.trust_registry r where r.convener = ${did} and ${unendedAt('r', presentHeight)} offset 0)`

/** Tells in SQL whether a DID convenes any registry, or ever did, looked up in the same way. */
export const wasEverConvener = (did: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.trust_registry c where c.convener = ${did} offset 0)`

/** Tells in SQL whether a DID is the present convener of a registry. */
export const isConvenerOf = (did: RawBuilder<unknown>, registry: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from ledger.trust_registry r
    where r.registry_id = ${registry} and r.convener = ${did} and ${validAt('r', presentHeight)})`

/** Answers the same in a statement of its own. */
export async function convenes(reader: Reader, did: Did, registry: Hex32): Promise<boolean> {
  const { rows } = await sql<{ convenes: boolean }>`
    select ${isConvenerOf(sql`${did}`, sql`${registry}`)} as convenes`.execute(reader)
  return rows[0]?.convenes ?? false
}

/** The convener of a registry now; the last one of a removed registry. */
export const lastConvenerOf = (registry: RawBuilder<unknown>): RawBuilder<string> => sql<string>`(
  select n.convener from ledger.trust_registry n
  where n.registry_id = ${registry} and n.from_block <= ${presentHeight} order by n.from_block desc limit 1)`

/**
 * The rows `(registry_id)`: the registries whose convener now, or whose last one, is among `dids`, a query for them.
 */
export const registriesLastConvenedBy = (dids: RawBuilder<unknown>) => sql`
  select n.registry_id from ledger.trust_registry n
  where n.convener = any(array(${dids})) and n.from_block <= ${presentHeight}
    and not exists (select from ledger.trust_registry o
      where o.registry_id = n.registry_id and o.from_block > n.from_block and o.from_block <= ${presentHeight})`
