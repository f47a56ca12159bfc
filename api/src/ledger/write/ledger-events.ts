import type { Logger } from 'pino'
import type { Tx } from '../../platform/database/database.js'
import type { FinalPoint } from '../read/blocks.js'
import { eventsAfter, type IndexedEvent } from '../read/history/events-after.js'

/**
 * The effect of final ledger events on service rows, whatever caused them, in the follower's transaction (system
 * scope). It is told each event once, in order, many at a time.
 */
export interface LedgerEffect {
  /** `TrustRegistry.ConvenerChanged` */
  events: readonly string[]
  apply(tx: Tx, events: readonly IndexedEvent[]): Promise<void>
}

const PAGE = 2000
export const CURSOR = 'ledger'
/** The cursor's event index once all events of its block were told. */
export const WHOLE_BLOCK = 2_147_483_647

interface Telling {
  ledgerEffects: readonly LedgerEffect[]
  log: Logger
  /** Effects are guarded by a savepoint; without it a failure is the caller's. */
  isCareful: boolean
}

/**
 * Tells the effects the events after the cursor, up to the final point, and moves the cursor.
 *
 * @returns whether more events wait
 */
export async function tellLedgerEvents(tx: Tx, telling: Telling, final: FinalPoint): Promise<boolean> {
  const cursor = await tx.selectFrom('follower_cursor').selectAll().where('id', '=', CURSOR).executeTakeFirst()
  const from = cursor ?? { block: -1, event_index: 0 }
  if (from.block > final.height) return false
  if (from.block === final.height && from.event_index === WHOLE_BLOCK) return false
  if (!telling.isCareful) return tellAfter(tx, telling, from, final)
  return tx
    .inSavepoint(() => tellAfter(tx, telling, from, final))
    .catch((error: unknown) => {
      telling.log.error({ err: error, after: from }, 'ledger events could not be applied; they will be tried again')
      return false
    })
}

type Place = Parameters<typeof eventsAfter>[1]

async function tellAfter(tx: Tx, { ledgerEffects }: Telling, from: Place, final: FinalPoint): Promise<boolean> {
  const names = [...new Set(ledgerEffects.flatMap((effect) => effect.events))]
  const events = await eventsAfter(tx, from, final, names, PAGE)
  for (const effect of ledgerEffects) {
    const wanted = events.filter(({ name }) => effect.events.includes(name))
    if (wanted.length > 0) await effect.apply(tx, wanted)
  }
  const last = events.length === PAGE ? events.at(-1) : undefined
  await moveCursor(
    tx,
    last ? { block: last.block, event_index: last.index } : { block: final.height, event_index: WHOLE_BLOCK },
  )
  return last !== undefined
}

async function moveCursor(tx: Tx, to: { block: number; event_index: number }): Promise<void> {
  await tx
    .insertInto('follower_cursor')
    .values({ id: CURSOR, ...to })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(to))
    .execute()
}
