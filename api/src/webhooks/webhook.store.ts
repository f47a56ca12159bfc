import './webhook.tables.js'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import { lockByName } from '../platform/database/lock-by-name.js'
import type { JsonObject, ServiceTables } from '../platform/database/tables.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { Environment } from '../platform/http/context.js'
import type { Page } from '../platform/http/pagination.js'

export type WebhookRow = Selectable<ServiceTables['webhooks']>

/** The most web hooks of a team: each event is stored once for each of them. */
const MOST_WEBHOOKS = 100

export function ownWebhooks(reader: Reader, team: TeamId, { offset, limit }: Page): Promise<WebhookRow[]> {
  return reader
    .selectFrom('webhooks')
    .selectAll()
    .where('team_id', '=', team)
    .orderBy('created', 'desc')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
}

const own = (reader: Reader, team: TeamId, id: string) =>
  reader.selectFrom('webhooks').selectAll().where('team_id', '=', team).where('id', '=', id)

/** The facts of a web hook for the audit: its address may hold a secret beside the host. */
export const factsOf = ({
  url,
  description,
  status,
  events,
  personal_data,
}: Omit<WebhookRow, 'sealed'>): JsonObject => ({
  host: new URL(url).host,
  description,
  status,
  events,
  includePersonalData: personal_data,
})

/** @throws 404 */
export async function requireWebhook(reader: Reader, team: TeamId, id: string): Promise<WebhookRow> {
  const row = await own(reader, team, id).executeTakeFirst()
  if (!row) throw notFound('Webhook')
  return row
}

/** Returns the web hook, locked until the transaction ends. @throws 404 */
export async function lockWebhook(tx: Tx, team: TeamId, id: string): Promise<WebhookRow> {
  const row = await own(tx, team, id).forNoKeyUpdate().executeTakeFirst()
  if (!row) throw notFound('Webhook')
  return row
}

/** Returns the same. @throws 404, and 409 for one that is disabled: it gets nothing */
export async function lockEnabled(tx: Tx, team: TeamId, id: string): Promise<WebhookRow> {
  const row = await lockWebhook(tx, team, id)
  if (row.status === 0) throw new ApiError('conflict', 'The web hook is disabled: enable it first')
  return row
}

/** Wakes the worker when deliveries wait that no new event made. */
export function tellAfterCommit(tx: Tx, { events }: Pick<Environment, 'events'>): void {
  if (events.stored) tx.afterCommit(events.stored)
}

/** Tells whether the team may have a further one; its row stays locked until then. */
export async function hasRoom(tx: Tx, team: TeamId): Promise<boolean> {
  await lockByName(tx, `service.webhooks ${team}`)
  const { count } = await tx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', team)
    .executeTakeFirstOrThrow()
  return count < MOST_WEBHOOKS
}

/** Gives up what waits for a web hook; it can be replayed. @returns how many */
export async function giveUpWaiting(tx: Tx, webhook: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'dead' })
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
