import '../webhook.tables.js'
import { sql } from 'kysely'
import type { Database, Tx } from '../../platform/database/database.js'
import { json } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'
import { deliveriesDead } from '../../platform/process/work-metrics.js'
import { giveUpWaiting } from '../webhook.store.js'
import type { Try } from '../webhook.tables.js'
import type { Claimed } from './claim.js'
import { DISABLED_AFTER_MS, nextTry } from './retry-schedule.js'

/** The end of a try. */
export interface Result {
  claimed: Claimed
  tried: Try
  /** The receiver took it. */
  isDelivered: boolean
  /** The receiver wants nothing more: it answered 410. */
  isGone: boolean
}

/** The tries that the log of a delivery keeps. */
const LOGGED = 20

interface Ended {
  webhook_id: string
  resource: Buffer | null
}

/**
 * Stores results in one transaction: what was delivered, when the others are tried again, what is given up, which web
 * hooks are disabled, and which events are next. After it looks once more for the next ones. Results of a lease that
 * somebody else has by now change nothing.
 */
export async function storeResults(
  db: Database,
  results: readonly Result[],
  now: Date,
  chance: () => number,
): Promise<void> {
  const { ended, dead } = await db.transaction('system', async (tx) => {
    const hooks = results.map(({ claimed }) => claimed.webhook_id)
    await lockHooks(tx, hooks)
    const rows = results.map(({ claimed, tried, isDelivered }) => {
      const next = isDelivered ? undefined : nextTry(claimed.tries + 1, now, claimed.give_up, chance())
      const state = isDelivered ? 'delivered' : next ? 'waiting' : 'dead'
      return { id: claimed.id, attempt: claimed.attempt, state, due: next?.toISOString() ?? null, tried }
    })
    const { rows: stored } = await sql<Ended & { state: string; is_replay: boolean }>`update webhook_deliveries d
      set state = r.state, due = coalesce(r.due, d.due), tries = d.tries + 1,
        log = case when jsonb_array_length(d.log) < ${LOGGED} then d.log else d.log - 0 end || r.tried
      from jsonb_to_recordset(${json(rows)}::jsonb)
        as r (id bigint, attempt int, state text, due timestamptz, tried jsonb)
      where d.id = r.id and d.attempt = r.attempt and d.state = 'waiting'
      returning d.webhook_id, d.resource, d.state, d.is_replay`.execute(tx)
    const over = stored.filter(({ state, is_replay }) => state !== 'waiting' && !is_replay)
    await callUpNext(tx, over)
    const left = await noteHealth(tx, results, now)
    return { ended: over, dead: stored.filter(({ state }) => state === 'dead').length + left }
  })
  deliveriesDead.inc(dead)
  if (ended.some(({ resource }) => resource !== null)) await db.transaction('system', (tx) => callUpMissed(tx, ended))
}

/** Changes of a web hook lock it before its deliveries; so do results. */
async function lockHooks(tx: Tx, ids: readonly string[]): Promise<void> {
  const hooks = [...new Set(ids)]
  await sql`select id from webhooks where id = any(${hooks}::text[]) order by id for no key update`.execute(tx)
}

/** The next event of a resource waits no longer when the one before it has ended. */
async function callUpNext(tx: Tx, ended: readonly Ended[]): Promise<void> {
  if (ended.every(({ resource }) => resource === null)) return
  await sql`update webhook_deliveries d set due = '-infinity' where d.id in (${nextOf(ended)})`.execute(tx)
}

/**
 * Calls up events that came after the look for the next ones, and were claimed before the commit: they were put after
 * events that have ended now. Their claim holds them until then, so that whoever locks them sees it.
 */
async function callUpMissed(tx: Tx, ended: readonly Ended[]): Promise<void> {
  const hooks = ended.map(({ webhook_id }) => webhook_id)
  await lockHooks(tx, hooks)
  const { rows } = await sql<{ id: number }>`select d.id from webhook_deliveries d where d.id in (${nextOf(ended)})
    order by d.id for no key update`.execute(tx)
  const ids = rows.map(({ id }) => id)
  await sql`update webhook_deliveries set due = '-infinity'
    where id = any(${ids}::bigint[]) and due = 'infinity' and state = 'waiting'`.execute(tx)
}

/** The ids of the events that wait first of each resource. */
function nextOf(ended: readonly Ended[]) {
  const of = ended.flatMap(({ webhook_id, resource }) => (resource ? [{ webhook_id, resource }] : []))
  return sql`select (select n.id from webhook_deliveries n where n.webhook_id = r.webhook_id and n.resource = r.resource
      and n.state = 'waiting' and not n.is_replay order by n.id limit 1)
    from (select distinct webhook_id, resource
      from unnest(${of.map((one) => one.webhook_id)}::text[], ${of.map((one) => one.resource)}::bytea[])
        as r (webhook_id, resource)) r`
}

/** Calls up events whose predecessor was forgotten before it ended, or ended in a process that died before its last step. */
export async function callUpLeftBehind({ db }: Pick<Environment, 'db'>): Promise<void> {
  await db.transaction('system', (tx) =>
    sql`update webhook_deliveries d set due = '-infinity' where d.state = 'waiting' and d.due = 'infinity'
      and not exists (select from webhook_deliveries e where e.webhook_id = d.webhook_id and e.resource = d.resource
        and e.state = 'waiting' and not e.is_replay and e.id < d.id)`.execute(tx),
  )
}

/**
 * Notes since when a web hook fails, and disables one that failed for days, or wants nothing more.
 *
 * @returns how many deliveries waited for those that are disabled, and are given up
 */
async function noteHealth(tx: Tx, results: readonly Result[], now: Date): Promise<number> {
  const delivered = new Set(results.filter(({ isDelivered }) => isDelivered).map(({ claimed }) => claimed.webhook_id))
  const failed = new Set(results.map(({ claimed }) => claimed.webhook_id).filter((id) => !delivered.has(id)))
  await sql`update webhooks set failing_since = null
    where id = any(${[...delivered]}::text[]) and failing_since is not null`.execute(tx)
  await sql`update webhooks set failing_since = ${now}::timestamptz
    where id = any(${[...failed]}::text[]) and failing_since is null`.execute(tx)
  let givenUp = 0
  for (const id of failed) {
    const isGone = results.some(({ claimed, isGone }) => isGone && claimed.webhook_id === id)
    givenUp += await disable(
      tx,
      id,
      isGone ? GONE : FAILING,
      isGone ? now : new Date(now.getTime() - DISABLED_AFTER_MS),
    )
  }
  return givenUp
}

const GONE = 'The receiver answered 410: it wants nothing more'
const FAILING = 'Every delivery failed for five days'

/**
 * Disables a web hook that has failed since this time or longer, and tells the others of the team.
 *
 * @returns how many deliveries it gave up
 */
async function disable(tx: Tx, id: string, reason: string, failingSince: Date): Promise<number> {
  const row = await tx
    .updateTable('webhooks')
    .set({ status: 0, disabled_reason: reason })
    .where('id', '=', id)
    .where('status', '=', 1)
    .where('failing_since', '<=', failingSince)
    .returning(['team_id', 'failing_since'])
    .executeTakeFirst()
  if (!row) return 0
  const givenUp = await giveUpWaiting(tx, id)
  await tx.audit({
    action: 'disableWebhook',
    subject: id,
    team: row.team_id,
    before: { status: 1 },
    after: { status: 0, reason },
  })
  tx.notify('webhook_disabled', { id, reason }, row.team_id)
  const data = { id, reason, failingSince: row.failing_since?.toISOString() ?? null }
  await tx.emit('webhook_disabled', data, row.team_id, `webhook ${id}`)
  return givenUp
}
