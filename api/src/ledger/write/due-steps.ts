import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../platform/database/database.js'
import { newestFinalIndexed } from '../read/blocks.js'
import { CURSOR, WHOLE_BLOCK } from './ledger-events.js'

/** The steps of the ledger loop that would find something. */
export interface DueSteps {
  relay: boolean
  outcomes: boolean
  follow: boolean
  plan: boolean
}

const NO_SUCH_TABLE = '42P01'

/** Looks for work in one statement: a round without any does nothing else. */
export async function dueSteps(db: Database): Promise<DueSteps> {
  try {
    return await ask(db, sql`select ${newestFinalIndexed} as height`)
  } catch (error) {
    const isBeforeIndex = error instanceof pg.DatabaseError && error.code === NO_SUCH_TABLE
    if (!isBeforeIndex) throw error
    return ask(db, sql`select null::int as height`)
  }
}

/** An action whose block is another one by its hash is found in vain: the follower compares. */
async function ask(db: Database, final: ReturnType<typeof sql>): Promise<DueSteps> {
  const { rows } = await db.read('system', (reader) =>
    sql<DueSteps>`
      with final as materialized (${final})
      select exists (select from service.ledger_actions where state = 'pending') as relay,
        exists (select from service.ledger_actions where state = 'accepted') as outcomes,
        exists (select from service.ledger_actions
          where state = 'included' and (block_height is null or block_height <= final.height)
            and (retry_at is null or retry_at <= now()))
        or (final.height is not null and not exists (select from service.follower_cursor
          where id = ${CURSOR} and (block, event_index) >= (final.height, ${WHOLE_BLOCK}::int))) as follow,
        exists (select from service.ledger_actions p where p.state = 'planned' and p.planned_in is not null
          and not exists (select from service.ledger_actions o
            where o.planned_in = p.planned_in and o.state in ('pending', 'accepted', 'included'))) as plan
      from final`.execute(reader),
  )
  return rows[0] ?? { relay: false, outcomes: false, follow: false, plan: false }
}
