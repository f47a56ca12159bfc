import { sql } from 'kysely'
import type { Tx } from './database.js'

/** Lets one transaction at a time have a name, where no row stands for what it locks: others wait until it has ended. */
export async function lockByName(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}
