import { type RawBuilder, sql } from 'kysely'
import { validAt } from '../temporal.js'

interface Whom {
  role?: 'issuer' | 'verifier' | undefined
  schemaId?: string | undefined
}

/**
 * The `part` of a registry under which the index lists DIDs: a role, a schema by its hash, a role in a schema, or
 * `any`.
 */
export const partOf = ({ role, schemaId }: Whom): string =>
  [role, schemaId].filter((one) => one !== undefined).join(' ') || 'any'

/**
 * Counts in SQL the DIDs that are listed in a part of a registry at a block.
 *
 * @param whom all DIDs that are `listed`, or those that are `active`: not deactivated
 */
export const countedAt = (
  whom: 'listed' | 'active',
  registryId: RawBuilder<string>,
  part: RawBuilder<string>,
  block: number,
): RawBuilder<number> => sql<number>`coalesce((
  select ${sql.ref(`c.${whom}`)} from ledger.listing_count c
  where c.registry_id = ${registryId} and c.part = ${part} and c.block <= ${block}::int
  order by c.block desc limit 1), 0)`

/**
 * Tells in SQL whether a DID is listed in a registry at a block, or a delegate there. `offset 0` makes Postgres look it
 * up alone, by its few places, whatever other DIDs the registry lists.
 */
export const takesPartAt = (registryId: string, did: RawBuilder<unknown>, block: number): RawBuilder<boolean> =>
  sql<boolean>`(exists (select from (select * from ledger.listing x where x.did = ${did} and x.part = 'any' offset 0) l
      where l.registry_id = ${registryId} and ${validAt('l', block)} offset 0)
    or exists (select from ledger.delegation d
      where d.registry_id = ${registryId} and d.delegate = ${did} and ${validAt('d', block)} offset 0))`

/** Tells in SQL whether a DID is suspended in a registry at a block, whatever its roles. */
export const suspendedAt = (
  registryId: RawBuilder<unknown>,
  did: RawBuilder<unknown>,
  block: number,
): RawBuilder<boolean> => sql<boolean>`exists (
  select from ledger.suspension u where u.registry_id = ${registryId} and u.did = ${did} and ${validAt('u', block)})`
