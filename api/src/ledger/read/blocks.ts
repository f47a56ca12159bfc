import { sql } from 'kysely'
import type { Reader } from '../../platform/database/database.js'
import { ApiError } from '../../platform/http/errors.js'
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

/** Returns the newest indexed height, as a transaction sees it; 0 while there is none. */
export async function newestHeight(reader: Reader): Promise<number> {
  const { rows } = await sql<{ block: number | null }>`select max(height) as block from ledger.block`.execute(reader)
  return rows[0]?.block ?? 0
}

/** The rows `(height, hash, time)`: all indexed blocks, for statements that join them by height. */
export const blocks = sql`select b.height, b.hash, b.time from ledger.block b`
