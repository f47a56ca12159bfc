import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '../../platform/database/any-of.js'
import type { Tx } from '../../platform/database/database.js'
import { json } from '../../platform/database/tables.js'
import { blocks, newestFinalIndexed } from '../read/blocks.js'
import { firstDispatch } from '../read/history/dispatched.js'
import { allHold } from '../read/registries/expected-change.js'

/** A condition on actions that wait for a signature, as `a`. */
export type WhichPending = RawBuilder<boolean>

export const pendingIn = (subjects: readonly string[]): WhichPending =>
  sql<boolean>`a.waits_in = any(${[...new Set(subjects)]}::text[])`

export const pendingOf = (dids: readonly string[]): WhichPending =>
  sql<boolean>`a.did = any(${[...new Set(dids)]}::text[])`

/** Ends the actions that their DIDs dispatched unchanged, no matter who brought them; returns how many. */
export async function matchDispatched(tx: Tx, which: WhichPending): Promise<bigint> {
  const { numAffectedRows = 0n } = await sql`
    with dispatched as (
      select a.id, e.block, e.hash, e.extrinsic_hash from service.ledger_actions a
      cross join lateral (${firstDispatch({ callHash: sql.ref('a.call_hash'), actor: sql.ref('a.did'), after: sql.ref('a.waits_from') })}) e
      where a.state = 'waiting' and ${which})
    update service.ledger_actions a
    set state = 'included', block_height = d.block, block_hash = d.hash,
      outcome = jsonb_build_object('blockHeight', d.block, 'blockHash', d.hash, 'extrinsicHash', d.extrinsic_hash, 'callHash', a.call_hash)
    from dispatched d where a.id = d.id and a.state = 'waiting'`.execute(tx)
  return numAffectedRows
}

/** The rows `(id, block)`: a registry as it was at a block. The query may read `pending`, the actions that wait. */
type Points = RawBuilder<unknown>

export const changedAt = (changed: readonly { id: string; block: number }[]): Points => sql`
  select distinct id, block
  from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map(({ block }) => block)}::int[]) as changed (id, block)`

export const finalNow: Points = sql`
  select distinct waits_in as id, ${newestFinalIndexed} as block from pending`

/**
 * Ends those actions whose expected changes are all there at a point, as of the first such block; returns how many. A
 * convener's own tool may bundle or word the calls in its own way: no id and no hash of the action stands on the ledger
 * then, and without this the convener would wait until the action expires, and be told that it did not sign.
 */
export async function matchExpected(tx: Tx, which: WhichPending, points: Points): Promise<bigint> {
  const point = { registry: sql<string>`w.waits_in`, block: sql<number>`p.block` }
  const { numAffectedRows = 0n } = await sql`
    with pending as materialized (
      select a.id, a.waits_in, a.waits_from as since, a.action -> 'wants' as wants from service.ledger_actions a
      where a.state = 'waiting' and ${which}),
    done as (
      select w.id, min(p.block) as block
      from pending w join (${points}) p on p.id = w.waits_in and p.block >= w.since
      where w.wants is not null and ${allHold(sql`w.wants`, point)}
      group by w.id)
    update service.ledger_actions a
    set state = 'included', block_height = b.height, block_hash = b.hash,
      outcome = jsonb_build_object('blockHeight', b.height, 'blockHash', b.hash)
    from done join (${blocks}) b on b.height = done.block
    where a.id = done.id and a.state = 'waiting'`.execute(tx)
  return numAffectedRows
}

/** The reason for which an action that waits for a signature can no longer be done. */
export interface GivenUp {
  type: string
  message: string
}

/** Ends the actions of these jobs that wait for a signature, and returns how many: the follower fails them. */
export async function giveUpPending(tx: Tx, jobs: readonly string[], { type, message }: GivenUp): Promise<bigint> {
  if (jobs.length === 0) return 0n
  const { numUpdatedRows } = await tx
    .updateTable('ledger_actions')
    .set({ state: 'included', outcome: json({ error: { pallet: 'Service', name: type, docs: message } }) })
    .where('job_id', '=', anyOf(jobs))
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return numUpdatedRows
}

const TOO_LATE: GivenUp = {
  type: 'not_signed_in_time',
  message: 'The holder of the key did not sign it in time: ask again',
}

/**
 * Gives up the actions that nobody signed by then; parts of the same job that the ledger has stay there.
 *
 * @param seen a moment until which the index has all of the ledger: later signatures may be unknown yet
 */
export async function giveUpUnsigned(tx: Tx, seen: Date): Promise<void> {
  const late = await tx
    .selectFrom('ledger_actions')
    .select('job_id')
    .distinct()
    .where('state', '=', 'waiting')
    .where('expires', '<=', seen)
    .execute()
  await giveUpPending(
    tx,
    late.map((row) => row.job_id),
    TOO_LATE,
  )
}
