import { sql } from 'kysely'
import { anyOf } from '../../platform/database/any-of.js'
import type { Database } from '../../platform/database/database.js'
import { json } from '../../platform/database/tables.js'
import { type ActionState, isTerminal, type SignerDoor } from './signer-door.js'

const BATCH = 1000

/**
 * Asks the signer for the outcomes of the actions that it has, and stores the ends. An action that the signer does not
 * know (its database was restored to an older state) goes back to the outbox.
 *
 * @returns how many actions changed
 */
export async function collectOutcomes({
  db,
  signer,
}: {
  db: Database
  signer: Pick<SignerDoor, 'actionStates'>
}): Promise<number> {
  let changed = 0
  let after = ''
  for (;;) {
    const from = after
    const waiting = await db.read('system', (reader) =>
      reader
        .selectFrom('ledger_actions')
        .select(['id', sql<boolean>`created < now() - interval '10 seconds'`.as('isOld')])
        .where('state', '=', 'accepted')
        .where('id', '>', from)
        .orderBy('id')
        .limit(BATCH)
        .execute(),
    )
    if (waiting.length === 0) return changed
    const states = await signer.actionStates(waiting.map(({ id }) => id))
    const known = new Set(states.map(({ id }) => id))
    const lost = waiting.filter(({ id, isOld }) => isOld && !known.has(id)).map(({ id }) => id)
    changed += await store(db, states.filter(isTerminal), lost)
    after = waiting.at(-1)?.id ?? ''
    if (waiting.length < BATCH) return changed
  }
}

async function store(db: Database, ended: ActionState[], lost: string[]): Promise<number> {
  if (ended.length + lost.length === 0) return 0
  await db.transaction('system', async (tx) => {
    if (lost.length > 0)
      await tx
        .updateTable('ledger_actions')
        .set({ state: 'pending' })
        .where('id', '=', anyOf(lost))
        .where('state', '=', 'accepted')
        .execute()
    if (ended.length === 0) return
    const rows = json(ended.map(({ id, state, outcome }) => ({ id, outcome: outcomeOf(state, outcome) })))
    await sql`update service.ledger_actions a
      set state = 'included', outcome = e.outcome,
        block_height = (e.outcome ->> 'blockHeight')::int, block_hash = e.outcome ->> 'blockHash'
      from jsonb_to_recordset(${rows}::jsonb) as e (id text, outcome jsonb)
      where a.id = e.id and a.state = 'accepted'`.execute(tx)
  })
  return ended.length + lost.length
}

const UNTOLD = { pallet: 'Signer', name: 'refused', docs: 'The ledger did not take the action' }

function outcomeOf(state: ActionState['state'], outcome: ActionState['outcome']): ActionState['outcome'] {
  return state === 'refused' ? { ...outcome, error: outcome?.error ?? UNTOLD } : (outcome ?? {})
}
