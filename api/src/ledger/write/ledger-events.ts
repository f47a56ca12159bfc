import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { JsonObject } from '../../platform/database/tables.js'

/** An event of the three pallets, as the index tells it. */
export interface IndexedEvent {
  id: string
  block: number
  index: number
  time: Date
  name: string
  actor: string
  subject: string | null
  trust_registry_id: string | null
  revocation_registry_id: string | null
  schema_id: string | null
  before: JsonObject | null
  after: JsonObject | null
}

/**
 * The effect of final ledger events on service rows, whatever caused them, in the follower's transaction (system
 * scope). It is told each event once, in order, many at a time.
 */
export interface LedgerEffect {
  /** `TrustRegistry.ConvenerChanged` */
  events: readonly string[]
  apply(tx: Tx, events: readonly IndexedEvent[]): Promise<void>
}

export interface FinalPoint {
  height: number
}

const PAGE = 2000
const CURSOR = 'ledger'
/** The cursor's event index once all events of its block were told. */
const WHOLE_BLOCK = 2_147_483_647

/** The newest block that is final and indexed; undefined while the index has none. */
export async function finalPoint(reader: Reader): Promise<FinalPoint | undefined> {
  const exists = await sql<{
    there: boolean
  }>`select to_regclass('ledger.finality') is not null and to_regclass('ledger.block') is not null as there`.execute(
    reader,
  )
  if (!exists.rows[0]?.there) return undefined
  const { rows } = await sql<{ height: number }>`
    select least(f.height, b.height) as height
    from (select max(height) as height from ledger.finality) f, (select max(height) as height from ledger.block) b
    where f.height is not null and b.height is not null`.execute(reader)
  const height = rows[0]?.height
  return height === undefined ? undefined : { height }
}

/**
 * Tells the effects the events after the cursor, up to the final point, and moves the cursor.
 *
 * @returns whether more events wait
 */
export async function tellLedgerEvents(
  tx: Tx,
  { ledgerEffects, log }: { ledgerEffects: readonly LedgerEffect[]; log: Logger },
  final: FinalPoint,
): Promise<boolean> {
  const cursor = await tx.selectFrom('follower_cursor').selectAll().where('id', '=', CURSOR).executeTakeFirst()
  const from = cursor ?? { block: -1, event_index: -1 }
  if (from.block > final.height) return false
  if (from.block === final.height && from.event_index === WHOLE_BLOCK) return false
  await sql`savepoint events`.execute(tx)
  try {
    const events = await eventsAfter(tx, from, final, ledgerEffects)
    for (const effect of ledgerEffects) {
      const wanted = events.filter(({ name }) => effect.events.includes(name))
      if (wanted.length > 0) await effect.apply(tx, wanted)
    }
    const last = events.length === PAGE ? events.at(-1) : undefined
    await moveCursor(
      tx,
      last ? { block: last.block, event_index: last.index } : { block: final.height, event_index: WHOLE_BLOCK },
    )
    await sql`release savepoint events`.execute(tx)
    return last !== undefined
  } catch (error) {
    await sql`rollback to savepoint events`.execute(tx)
    log.error({ err: error, after: from }, 'ledger events could not be applied; they will be tried again')
    return false
  }
}

async function eventsAfter(
  tx: Tx,
  from: { block: number; event_index: number },
  final: FinalPoint,
  effects: readonly LedgerEffect[],
): Promise<IndexedEvent[]> {
  const names = [...new Set(effects.flatMap((effect) => effect.events))]
  const { rows } = await sql<IndexedEvent>`
    select id, block, index, time, name, actor, subject, trust_registry_id, revocation_registry_id, schema_id, before, after
    from ledger.event
    where (block, index) > (${from.block}::int, ${from.event_index}::int) and block <= ${final.height} and name = any(${names}::text[])
    order by block, index limit ${PAGE}`.execute(tx)
  return rows
}

async function moveCursor(tx: Tx, to: { block: number; event_index: number }): Promise<void> {
  await tx
    .insertInto('follower_cursor')
    .values({ id: CURSOR, ...to })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(to))
    .execute()
}
