import { noteSpans } from '@accredit/process/tracing'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { anyOf } from '../../platform/database/any-of.js'
import type { Database, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { type JsonObject, json } from '../../platform/database/tables.js'
import { teamsWithRows } from '../../platform/database/teams-with-rows.js'
import type { AnyContext } from '../../platform/http/context.js'
import { actionsRelayed } from '../../platform/process/work-metrics.js'
import { shareOf } from './share.js'
import { parseAction, type SignerAction, type SignerDoor, SignerRefused } from './signer-door.js'

export interface RelayServices extends Pick<AnyContext, 'deriveKey'> {
  db: Database
  signer: Pick<SignerDoor, 'submitActions'>
  log: Logger
}

const BATCH = 200
/** The actions of a team that are with the signer at once: more than it carries out in the time of a round. */
const MOST_OF_A_TEAM = 500
/** The lock for one relay at a time in a database: a DID's actions reach the signer in order. */
const LOCK = 7_302_103

interface PendingAction {
  id: string
  job_id: string
  team: TeamId
  did: string
  sequence: number | null
  action: JsonObject
  trace: string | null
}

export interface RelayedBatch {
  /** The number of actions that left the outbox. */
  moved: number
  /** The number of actions that stayed for want of room, in this batch or with the signer. */
  left: number
  /** The number of those that the signer refused at its door: they come to their end without it. */
  refused: number
}

/**
 * Hands the next actions of the outbox to the signer. The id is the idempotency key, so that doing it twice does no
 * harm.
 */
export function relayActions(services: RelayServices): Promise<RelayedBatch> {
  return services.db.transaction('system', (tx) => relayBatch(tx, services))
}

/**
 * Selects the actions by turns of teams, one at a time. A team's oldest goes first, but none before an earlier one of
 * its DID: a longer transaction may have the later number. A DID that moved goes with the team of its earliest action.
 * Of each team only as many are looked at as can go: a hundred thousand may wait.
 */
async function nextOf(tx: Tx): Promise<{ next: PendingAction[]; total: number }> {
  const { rows } = await sql<PendingAction & { total: number }>`
    with recursive ${teamsWithRows('ledger_actions', sql`state = 'pending'`)},
    accepted as (
      select team_id, count(*) as held from service.ledger_actions where state = 'accepted' group by team_id),
    oldest as (
      select o.did, max(o.sequence) as last from waiting cross join lateral (
        select a.did, a.sequence from service.ledger_actions a
        where a.state = 'pending' and a.team_id = waiting.team order by a.created limit ${BATCH}) o
      group by o.did),
    pending as (
      select a.id, a.sequence, first_value(a.team_id) over chain as team, max(a.created) over chain as due
      from oldest join service.ledger_actions a on a.did = oldest.did and a.sequence <= oldest.last
      where a.state = 'pending' window chain as (partition by a.did order by a.sequence)),
    placed as (select *, row_number() over (partition by team order by due, sequence) as turn from pending),
    next as (
      select placed.* from placed left join accepted on team_id = team
      where turn <= ${MOST_OF_A_TEAM} - coalesce(held, 0) order by turn, due, sequence limit ${BATCH})
    select a.id, a.job_id, next.team, a.did, a.sequence, a.action, j.trace,
      (select count(*) from service.ledger_actions where state = 'pending')::int as total
    from next join service.ledger_actions a on a.id = next.id join service.jobs j on j.id = a.job_id
    order by next.turn, next.due, next.sequence`.execute(tx)
  return { next: rows, total: rows[0]?.total ?? 0 }
}

async function relayBatch(tx: Tx, services: RelayServices): Promise<RelayedBatch> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
  const { next: pending, total } = await nextOf(tx)
  const since = Date.now()
  const accepted = pending.length > 0 ? await submit(tx, services, pending) : []
  actionsRelayed.inc(accepted.length)
  noteSpans('hand actions to the signer', since, accepted.map(spanOf))
  const refused = pending.length - accepted.length
  const relayed = { moved: pending.length, left: total - pending.length, refused }
  if (accepted.length === 0) return relayed
  await sql`
    with accepted as (
      update service.ledger_actions set state = 'accepted' where id = ${anyOf(accepted.map(({ id }) => id))})
    update service.jobs set status = 'in_progress', updated = now()
    where id = ${anyOf([...new Set(accepted.map((action) => action.job_id))])} and status = 'todo'`.execute(tx)
  return relayed
}

const spanOf = ({ id, trace }: PendingAction) => ({ parent: trace, attributes: { 'accredit.action': id } })

/** Sends all at once; when the signer refuses the batch, sends them one by one, so that only the bad ones fail. */
async function submit(tx: Tx, services: RelayServices, pending: PendingAction[]): Promise<PendingAction[]> {
  const { signer, log } = services
  const shared = (action: PendingAction) => signerAction(action, shareOf(services, action.team))
  try {
    await signer.submitActions(pending.map(shared))
    return pending
  } catch (error) {
    if (!(error instanceof SignerRefused)) throw error
  }
  const accepted: PendingAction[] = []
  const shift = new Map<string, number>()
  for (const action of pending) {
    const sequence = (action.sequence ?? 0) - (shift.get(action.did) ?? 0)
    try {
      await signer.submitActions([shared({ ...action, sequence })])
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

/** The signer never saw this number, so the DID's next action gets it: a gap would hold up all later ones. */
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
  trace?: string | null
}

/** @throws SignerRefused, as the signer would, when the outbox holds no action there */
export function signerAction({ id, sequence, action, trace }: Stored, share?: string): SignerAction {
  const travelling = { ...(share !== undefined && { share }), ...(trace && { trace }) }
  const parsed = parseAction({ ...action, id, sequence: sequence ?? 0, ...travelling })
  if (!parsed) throw new SignerRefused(422, 'malformed_action', 'The outbox holds no action there')
  return parsed
}
