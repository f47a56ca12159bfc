import type { IndexDb } from '../ledger/read/index-db.js'

/** When an indexed block was made. */
export async function blockTime({ db }: Pick<IndexDb, 'db'>, height: number): Promise<Date> {
  const block = await db.selectFrom('block').select('time').where('height', '=', height).executeTakeFirstOrThrow()
  return block.time
}
