import './webhook.tables.js'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../platform/database/database.js'
import type { ServiceTables } from '../platform/database/tables.js'
import type { Page } from '../platform/http/pagination.js'

export type DeliveryRow = Selectable<ServiceTables['webhook_deliveries']>

/** Returns the log of a web hook, newest first. */
export function deliveriesOf(
  reader: Reader,
  webhook: string,
  { state, offset, limit }: Page & { state: DeliveryRow['state'] | undefined },
): Promise<DeliveryRow[]> {
  return reader
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhook)
    .$if(state !== undefined, (some) => some.where('state', '=', state ?? 'waiting'))
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

/** A replay begins anew, with the same id, and is not after other events of its resource. */
const REPLAYED = {
  state: 'waiting',
  is_replay: true,
  due: '-infinity',
  tries: 0,
  give_up: null,
} as const

/** Returns the delivery that waits again; undefined where the web hook has none of this id. */
export async function replayOne(
  tx: Tx,
  webhook: string,
  message: string,
): Promise<DeliveryRow | 'waiting' | undefined> {
  const row = await tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhook)
    .where('message', '=', message)
    .forUpdate()
    .executeTakeFirst()
  if (!row || row.state === 'waiting') return row && 'waiting'
  return tx
    .updateTable('webhook_deliveries')
    .set(REPLAYED)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

interface Range {
  from: Date
  to: Date
  state: 'delivered' | 'dead' | undefined
}

/** Lets all deliveries of a range wait again that wait no longer. Returns how many these are. */
export async function replayRange(tx: Tx, webhook: string, { from, to, state }: Range): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set(REPLAYED)
    .where('webhook_id', '=', webhook)
    .where('state', 'in', state ? [state] : ['delivered', 'dead'])
    .where('created', '>=', from)
    // The log tells milliseconds, and the database knows more.
    .where('created', '<', new Date(to.getTime() + 1))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
