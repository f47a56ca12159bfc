import { sql } from 'kysely'
import type { At } from './at.js'
import type { IndexDb, IndexReader } from './index-db.js'
import { type AtBlock, validAt } from './temporal.js'

type Index = Pick<IndexDb, 'db'>

/** An accumulator as one update left it; several may stand in one block. */
export interface AccumulatorVersion {
  version: number
  /** 0x */
  accumulated: string
  block: number
}

export interface AccumulatorChange extends AccumulatorVersion {
  additions: number[]
  removals: number[]
  /** The information from which holders update their witnesses, 0x. */
  witnessUpdateInfo: string
}

/** Returns a version that an accumulator had at or before a block; undefined: it had no such version yet. */
export async function accumulatorVersion(
  { db }: Index,
  registryId: string,
  { version, block }: { version: number; block: number },
): Promise<AccumulatorVersion | undefined> {
  const { rows } = await sql<AccumulatorVersion>`
    select u.version, u.accumulated, u.block from ledger.accumulator_update u
    where u.registry_id = ${registryId} and u.version = ${version} and u.block <= ${block}
    union all
    select r.version, r.accumulated, r.from_block from ledger.revocation_registry r
    where ${version} = 0 and r.registry_id = ${registryId} and r.version = 0 and r.from_block <= ${block}
    limit 1`.execute(db)
  return rows[0]
}

/** Tells whether an index was removed at a version: the block's end would also tell of later versions in it. */
export async function isRemovedAt(
  { db }: Index,
  registryId: string,
  { version, block, index }: Pick<AccumulatorVersion, 'version' | 'block'> & { index: number },
): Promise<boolean> {
  const before = sql`(select r.version from ledger.revocation_registry r
    where r.registry_id = ${registryId} and r.from_block < ${block} order by r.from_block desc limit 1)`
  const { rows } = await sql<{ isRemoved: boolean }>`
    select coalesce(
      (select ${index} = any(u.removals) from ledger.accumulator_update u
        where u.registry_id = ${registryId} and u.version <= ${version} and u.version > coalesce(${before}, 0)
          and (${index} = any(u.removals) or ${index} = any(u.additions))
        order by u.version desc limit 1),
      exists (select from ledger.status_bit b
        where b.registry_id = ${registryId} and b.index = ${index} and ${validAt('b', block - 1)})) as "isRemoved"`.execute(
    db,
  )
  return rows[0]?.isRemoved === true
}

/** Returns the updates after a version, in their order, up to a block. */
export async function accumulatorChanges(
  { db }: Index,
  registryId: string,
  { after, limit, block }: { after: number; limit: number } & AtBlock,
): Promise<AccumulatorChange[]> {
  const { rows } = await sql<AccumulatorChange>`
    select u.version, u.accumulated, u.block, u.additions, u.removals, u.witness_update_info as "witnessUpdateInfo"
    from ledger.accumulator_update u
    where u.registry_id = ${registryId} and u.version > ${after} and u.block <= ${block}
    order by u.version limit ${limit}`.execute(db)
  return rows
}

/** Tells whether a value was that of an accumulator at some time from an instant up to a point. */
export async function wasValueSince(
  { db }: Index,
  { registryId, accumulated }: { registryId: string; accumulated: string },
  since: Date,
  { block }: AtBlock,
): Promise<boolean> {
  const first = sql`(select b.height from ledger.block b where b.time <= ${since} order by b.time desc, b.height desc limit 1)`
  return exists(
    db,
    sql`select from ledger.revocation_registry r
      where r.registry_id = ${registryId} and r.accumulated = ${accumulated} and r.from_block <= ${block}
        and r.from_block >= coalesce((select max(o.from_block) from ledger.revocation_registry o
          where o.registry_id = ${registryId} and o.from_block <= ${first}), 0)`,
  )
}

async function exists(db: IndexReader, query: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (${query}) as found`.execute(db)
  return rows[0]?.found === true
}

/** The indexes among these that are removed at a point. */
export async function removedAmong(
  { db }: Index,
  registryId: string,
  indexes: readonly number[],
  { block }: Pick<At, 'block'>,
): Promise<Set<number>> {
  if (indexes.length === 0) return new Set()
  const { rows } = await sql<{ index: number }>`
    select b.index from ledger.status_bit b
    where b.registry_id = ${registryId} and b.index = any(${[...indexes]}::int[]) and ${validAt('b', block)}`.execute(
    db,
  )
  return new Set(rows.map(({ index }) => index))
}
