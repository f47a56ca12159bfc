import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import { ApiError, NO_FINAL_BLOCK } from '../../platform/errors.js'
import type { IndexReader } from './index-db.js'

type Index = { db: IndexReader }

/** Returns the time at which an indexed block was made; undefined: the index does not have it. */
export async function timeOf({ db }: Index, height: number): Promise<Date | undefined> {
  const row = await db.selectFrom('block').select('time').where('height', '=', height).executeTakeFirst()
  return row?.time
}

/** Returns the time of a block that an indexed row names, which exists. */
export async function blockTime({ db }: Index, height: number): Promise<Date> {
  const block = await db.selectFrom('block').select('time').where('height', '=', height).executeTakeFirstOrThrow()
  return block.time
}

/** @throws 503 `ledger_unavailable` when nothing is indexed */
export async function genesisHash({ db }: Index): Promise<string> {
  const row = await db.selectFrom('block').select('hash').where('height', '=', 0).executeTakeFirst()
  if (row === undefined) throw new ApiError('ledger_unavailable', 'The ledger is not indexed yet')
  return row.hash
}

/**
 * Returns the newest indexed height and that of the present block, which is final where the ledger has finality, as a
 * transaction sees them. Fails where `presentBlock` does.
 */
export async function headHeights(reader: Reader): Promise<{ newest: number; present: number }> {
  const { rows } = await sql<{ newest: number; present: number }>`
    select ${newestIndexed} as newest, ${presentHeight} as present`.execute(reader)
  const [heights] = rows
  if (heights === undefined) throw new Error('a row without a condition is there')
  return heights
}

/** The rows `(height, hash, time)`: all indexed blocks, for statements that join them by height. */
export const blocks = sql`select b.height, b.hash, b.time from ledger.block b`

/** The newest indexed height, in SQL; null while there is none. */
export const newestIndexed = sql<number>`(select max(height) from ledger.block)`

/** The newest height that is indexed with the hash that is final, in SQL; null while there is none. */
export const newestFinalIndexed = sql<number>`(select b.height
  from ledger.finality f join ledger.block b on b.height = f.settled_height and b.hash = f.settled_hash)`

/**
 * The one row `(height, hash)` in SQL: the block that answers about the present stand on (`IndexHead`). A statement that
 * reads its height fails while no block is indexed, while the indexer has not told what is final, and on a network
 * of which no final block is indexed. It is answered with 503, as `IndexHead` answers: SQL refuses by reading a text as a
 * number. The text has to depend on the row, since a constant would be read, and refused, whatever the row says.
 */
export const presentBlock = sql`
  select case when f.rule = 'instant' and n.height is not null then n.height when s.height is not null then s.height
      else (coalesce(f.rule, 'nothing') || ${sql.lit(`: ${NO_FINAL_BLOCK}`)})::int end as height,
    coalesce(s.hash, n.hash) as hash
  from (select 1) one
    left join (select b.height, b.hash from ledger.block b order by b.height desc limit 1) n on true
    left join ledger.finality f on true
    left join ledger.block s on f.rule <> 'instant' and s.height = f.settled_height and s.hash = f.settled_hash`

/** The height of that block. */
export const presentHeight = sql<number>`(select p.height from (${presentBlock}) p)`

/** The time of a block, in SQL; null where the index does not have it. */
export const timeOfBlock = (height: RawBuilder<number>): RawBuilder<Date | null> =>
  sql<Date | null>`(select b.time from ledger.block b where b.height = ${height})`

/** Tells in SQL whether a block is indexed with this hash, and final. */
export const isIndexed = (
  height: RawBuilder<number>,
  hash: RawBuilder<string>,
  until: FinalPoint,
): RawBuilder<boolean> =>
  sql<boolean>`exists (select from ledger.block b where b.height = ${height} and b.hash = ${hash} and b.height <= ${until.height})`

export interface FinalPoint {
  height: number
}

/** The newest block that is indexed with the hash that is final; undefined while the index has none. */
export async function finalPoint(reader: Reader): Promise<FinalPoint | undefined> {
  const exists = await sql<{
    there: boolean
  }>`select to_regclass('ledger.finality') is not null and to_regclass('ledger.block') is not null as there`.execute(
    reader,
  )
  if (!exists.rows[0]?.there) return undefined
  const { rows } = await sql<{ height: number | null }>`select ${newestFinalIndexed} as height`.execute(reader)
  const height = rows[0]?.height ?? undefined
  return height === undefined ? undefined : { height }
}
