import { sql } from 'kysely'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { anyOf } from '../../platform/database/any-of.js'
import type { Database } from '../../platform/database/database.js'
import type { Heard } from '../../platform/database/listen.js'
import { json } from '../../platform/database/tables.js'
import { OUTCOMES_CHANNEL } from './channels.js'
import { type ActionState, isTerminal, type SignerDoor } from './signer-door.js'

const BATCH = 1000

/** The actions to ask for: their ids, or all that the signer has. */
type Asked = 'all' | readonly string[]

export interface ToldOutcomes {
  hear(heard: Heard): void
  /** Returns the actions that were told of since; all of them now and then, since a notification is a hint. */
  take(): Asked
}

const AskedIds = Type.Array(Type.String(), { minItems: 1 })

/** Gathers what the signer tells, so that its answers about all other actions need not be read. */
export function openToldOutcomes(allEveryMs: number): ToldOutcomes {
  const ids = new Set<string>()
  let allFrom = 0
  return {
    hear(heard) {
      if (heard !== undefined && heard.channel !== OUTCOMES_CHANNEL) return
      const told = idsIn(heard?.payload)
      if (told === undefined) allFrom = 0
      else for (const id of told) ids.add(id)
    },
    take() {
      const told = [...ids]
      ids.clear()
      if (performance.now() < allFrom) return told
      allFrom = performance.now() + allEveryMs
      return 'all'
    },
  }
}

/** Everybody who may use the database may notify: a text that cannot be read says no more than that something has changed. */
function idsIn(payload: string | undefined): readonly string[] | undefined {
  try {
    const told: unknown = JSON.parse(payload ?? '')
    return Check(AskedIds, told) ? told : undefined
  } catch {
    return undefined
  }
}

type Needs = { db: Database; signer: Pick<SignerDoor, 'actionStates'> }

/**
 * Asks the signer for the outcomes of the actions that it has, and stores the ends. An action that the signer does not
 * know (its database was restored to an older state) goes back to the outbox.
 *
 * @returns how many actions changed
 */
export async function collectOutcomes({ db, signer }: Needs, asked: Asked = 'all'): Promise<number> {
  let changed = 0
  if (asked !== 'all') {
    for (let i = 0; i < asked.length; i += BATCH) {
      const states = await signer.actionStates(asked.slice(i, i + BATCH))
      changed += await store(db, states.filter(isTerminal), [])
    }
    return changed
  }
  let after = ''
  for (;;) {
    const waiting = await waitingAfter(db, after)
    if (waiting.length === 0) return changed
    const states = await signer.actionStates(waiting.map(({ id }) => id))
    const known = new Set(states.map(({ id }) => id))
    const lost = waiting.filter(({ id, isOld }) => isOld && !known.has(id)).map(({ id }) => id)
    changed += await store(db, states.filter(isTerminal), lost)
    after = waiting.at(-1)?.id ?? ''
    if (waiting.length < BATCH) return changed
  }
}

const waitingAfter = (db: Database, id: string) =>
  db.read('system', (reader) =>
    reader
      .selectFrom('ledger_actions')
      .select(['id', sql<boolean>`created < now() - interval '10 seconds'`.as('isOld')])
      .where('state', '=', 'accepted')
      .where('id', '>', id)
      .orderBy('id')
      .limit(BATCH)
      .execute(),
  )

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
