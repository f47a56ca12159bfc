import { sql } from 'kysely'
import type { Config } from '../../config.js'
import type { Database } from '../../platform/database/database.js'

/** Gives the database the limits of the configured plans, which it counts by. A sandbox has none. */
export async function storePlans(
  db: Database,
  { environment, plans }: Pick<Config, 'environment' | 'plans'>,
): Promise<void> {
  const rows = environment === 'production' ? plans.all : []
  const wanted = JSON.stringify(
    rows.map(({ name, transactions }) => ({ name, transactions, is_default: name === plans.default.name })),
  )
  await db.transaction('system', async (tx) => {
    // Processes that start at once wait for each other.
    await sql`lock table service.plans in share row exclusive mode`.execute(tx)
    await sql`delete from service.plans`.execute(tx)
    await sql`insert into service.plans (name, transactions, is_default)
      select * from jsonb_to_recordset(${wanted}::jsonb) as p (name text, transactions bigint, is_default boolean)`.execute(
      tx,
    )
  })
}
