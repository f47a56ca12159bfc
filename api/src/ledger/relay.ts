import { sql } from 'kysely'
import type { Logger } from 'pino'
import { anyOf } from '../platform/database/any-of.js'
import type { Database, Tx } from '../platform/database/database.js'
import { type JsonObject, json } from '../platform/database/tables.js'
import { parseAction, type SignerAction, type SignerDoor, SignerRefused } from './signer-door.js'

export interface RelayServices {
  db: Database
  signer: Pick<SignerDoor, 'submitActions'>
  log: Logger
}

const BATCH = 500
/** One relay at a time in a database: a DID's actions reach the signer in order. */
const LOCK = 7_302_103

interface PendingAction {
  id: string
  job_id: string
  did: string
  sequence: number | null
  action: JsonObject
}

/**
 * Hands what stands in the outbox to the signer, the id as idempotency key, so that doing it twice does no harm.
 * @returns how many actions left the outbox
 */
export async function relayActions(services: RelayServices): Promise<number> {
  let total = 0
  for (;;) {
    const moved = await services.db.transaction('system', (tx) => relayBatch(tx, services))
    total += moved
    if (moved < BATCH) return total
  }
}

async function relayBatch(tx: Tx, services: RelayServices): Promise<number> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
  const pending = await tx
    .selectFrom('ledger_actions')
    .select(['id', 'job_id', 'did', 'sequence', 'action'])
    .where('state', '=', 'pending')
    // Oldest first, but none before what its DID did earlier: a longer transaction may have the later number.
    .orderBy(sql`max(created) over (partition by did order by sequence)`)
    .orderBy('sequence')
    .limit(BATCH)
    .execute()
  if (pending.length === 0) return 0
  const accepted = await submit(tx, services, pending)
  if (accepted.length === 0) return pending.length
  await tx
    .updateTable('ledger_actions')
    .set({ state: 'accepted' })
    .where('id', '=', anyOf(accepted.map(({ id }) => id)))
    .execute()
  await tx
    .updateTable('jobs')
    .set({ status: 'in_progress', updated: sql<Date>`now()` })
    .where('id', '=', anyOf([...new Set(accepted.map((action) => action.job_id))]))
    .where('status', '=', 'todo')
    .execute()
  return pending.length
}

/** All at once; when the signer refuses the lot, one by one, so that only the bad ones fail. */
async function submit(tx: Tx, { signer, log }: RelayServices, pending: PendingAction[]): Promise<PendingAction[]> {
  try {
    await signer.submitActions(pending.map(signerAction))
    return pending
  } catch (error) {
    if (!(error instanceof SignerRefused)) throw error
  }
  const accepted: PendingAction[] = []
  const shift = new Map<string, number>()
  for (const action of pending) {
    const sequence = (action.sequence ?? 0) - (shift.get(action.did) ?? 0)
    try {
      await signer.submitActions([signerAction({ ...action, sequence })])
      accepted.push(action)
    } catch (error) {
      if (!(error instanceof SignerRefused)) throw error
      log.error({ err: error, action: action.id }, 'the signer refused an action at its door')
      await refuseAtDoor(tx, action, sequence, error)
      shift.set(action.did, (shift.get(action.did) ?? 0) + 1)
    }
  }
  return accepted
}

/** The signer never saw this number, so it goes to the DID's next action: a gap would hold up all later ones. */
async function refuseAtDoor(tx: Tx, { id, did }: PendingAction, sequence: number, error: SignerRefused): Promise<void> {
  await sql`update service.ledger_sequences set next = next - 1 where did = ${did}`.execute(tx)
  const outcome = json({ error: { pallet: 'Signer', name: error.type, docs: error.message } })
  await tx
    .updateTable('ledger_actions')
    .set({ state: 'included', sequence: null, outcome })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('ledger_actions')
    .set({ sequence: sql<number>`sequence - 1` })
    .where('did', '=', did)
    .where('sequence', '>', sequence)
    .execute()
}

interface Stored {
  id: string
  sequence: number | null
  action: Record<string, unknown>
}

/** @throws SignerRefused, as the signer would, when the outbox holds no action there */
export function signerAction({ id, sequence, action }: Stored): SignerAction {
  const parsed = parseAction({ ...action, id, sequence: sequence ?? 0 })
  if (!parsed) throw new SignerRefused(422, 'malformed_action', 'What is stored is no action')
  return parsed
}
