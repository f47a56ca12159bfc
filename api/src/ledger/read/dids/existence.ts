import { type RawBuilder, sql } from 'kysely'
import { presentBlock } from '../blocks.js'
import type { IndexReader } from '../index-db.js'
import { type AtBlock, validAt } from '../temporal.js'

/**
 * Tells in SQL whether the ledger has a DID at the present block that was not deactivated. Postgres reads the present
 * (`offset 0`) also where it has no DID of that name, and refuses before there is one.
 */
export const isActiveDid = (did: string): RawBuilder<boolean> => sql<boolean>`(
  select exists (select from ledger.did d where d.did = ${did} and ${validAt('d', sql`p.height`)})
  from (${presentBlock} offset 0) p)`

/** Tells in SQL whether the ledger ever had a DID; by the newest block, since a name that may be taken is not given away. */
export const wasEverDid = (did: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from ledger.did where did = ${did})`

/** Tells whether the ledger had a DID at a block or before it. */
export async function didExisted({ db }: { db: IndexReader }, did: string, { block }: AtBlock): Promise<boolean> {
  const row = await db
    .selectFrom('did')
    .select('id')
    .where('did', '=', did)
    .where('from_block', '<=', block)
    .executeTakeFirst()
  return row !== undefined
}

/** Tells in SQL whether the DID of a row was deactivated at a block: its rights stay listed, and cannot be used. */
export const deactivatedAt = (alias: string, { block }: AtBlock): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from ledger.did gone where gone.did = ${sql.ref(`${alias}.did`)} and gone.to_block <= ${block}::int)`

/** The row `(time)` of the block that deactivated a DID; none where it is active at a block. */
export const deactivationOf = (did: RawBuilder<unknown>, { block }: AtBlock): RawBuilder<{ time: Date }> => sql`
  select b.time from ledger.did x join ledger.block b on b.height = x.to_block
  where x.did = ${did} and x.to_block <= ${block}::int limit 1`
