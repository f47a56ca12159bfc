import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.js'
import { json } from '../platform/database/tables.js'
import type { Sweep } from '../platform/sweep.js'
import type { FinalPoint } from './ledger-events.js'

/** What the ledger has by now of that which waits for a signature. */
export async function takeDispatched(tx: Tx, final: FinalPoint): Promise<void> {
  await sql`
    update service.ledger_actions a
    set state = 'included', block_height = e.block, block_hash = e.hash,
      outcome = jsonb_build_object('blockHeight', e.block, 'blockHash', e.hash, 'extrinsicHash', e.extrinsic_hash, 'callHash', a.call_hash)
    from service.ledger_actions w
    cross join lateral (
      select d.block, b.hash, d.extrinsic_hash from ledger.event d join ledger.block b on b.height = d.block
      where d.call_hash = w.call_hash and d.actor = w.did and d.name = 'Did.Dispatched'
        and d.block > w.waits_from and d.block <= ${final.height}
      order by d.block limit 1) e
    where w.state = 'waiting' and a.id = w.id and a.state = 'waiting'`.execute(tx)
}

/** Why nothing can come any more of what waits for a signature. */
export interface GivenUp {
  type: string
  message: string
}

/** Ends what waits for a signature in these jobs: the follower fails them. */
export async function giveUpWaiting(tx: Tx, jobs: readonly string[], { type, message }: GivenUp): Promise<void> {
  if (jobs.length === 0) return
  await tx
    .updateTable('ledger_actions')
    .set({ state: 'included', outcome: json({ error: { pallet: 'Service', name: type, docs: message } }) })
    .where('job_id', 'in', [...jobs])
    .where('state', '=', 'waiting')
    .execute()
}

const TOO_LATE: GivenUp = {
  type: 'not_signed_in_time',
  message: 'Whoever has the key did not sign it in time: ask again',
}

/** Gives up what nobody signed in time; parts of the same job that the ledger has stay there. */
export const sweepWaitingActions: Sweep = ({ db, clock }) =>
  db.transaction('system', async (tx) => {
    const late = await tx
      .selectFrom('ledger_actions')
      .select('job_id')
      .distinct()
      .where('state', '=', 'waiting')
      .where('expires', '<=', clock.now())
      .execute()
    await giveUpWaiting(
      tx,
      late.map((row) => row.job_id),
      TOO_LATE,
    )
  })
