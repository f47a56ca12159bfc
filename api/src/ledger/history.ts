import type { Did, Hex32 } from '@accredit/chain'
import { type SelectQueryBuilder, sql } from 'kysely'
import { invalid } from '../platform/errors.js'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'
import type { EventTable, LedgerTables } from './index-tables.js'
import { parseInstant } from './instant.js'

/** Which events of the audit trail; all that is given must hold. */
export interface HistoryFilter {
  trustRegistryId?: string
  revocationRegistryId?: string
  /** The DID acted, or it happened to it. */
  dids?: Did[]
  /** `TrustRegistry.IssuerSuspended`, or short `IssuerSuspended`. */
  events?: string[]
  schemaId?: Hex32
  from?: Bound
  to?: Bound
}

/** A block or an instant, both inclusive. */
export type Bound = { block: number } | { instant: Date }

export type Order = 'asc' | 'desc'

export interface HistoryPage {
  total: number
  list: EventTable[]
  /** Where the next page begins; undefined: there is none. */
  next: string | undefined
}

interface Place {
  block: number
  index: number
}

const PALLETS = ['Did', 'TrustRegistry', 'Revocation']
const STREAM_PAGE = 1000

/** @throws 400 `invalid_request` that names `field` */
export function parseBound(text: string, field: string): Bound {
  if (/^\d{1,9}$/.test(text)) return { block: Number(text) }
  const instant = parseInstant(text)
  if (instant === undefined) throw invalid(`${field} must be a block number or an ISO 8601 instant with its offset`)
  return { instant }
}

/** One page of the audit trail as it was known at a block. */
export async function historyOf(
  { db }: { db: IndexReader },
  filter: HistoryFilter,
  page: { at: Pick<At, 'block'>; order: Order; cursor?: string | undefined; limit: number },
): Promise<HistoryPage> {
  const all = matching(db, filter, page.at)
  const after = page.cursor === undefined ? undefined : parseCursor(page.cursor)
  const [counted, rows] = await Promise.all([
    all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    pageAfter(all, page.order, after, page.limit + 1).execute(),
  ])
  const list = rows.slice(0, page.limit)
  return { total: Number(counted.total), list, next: rows.length > page.limit ? list.at(-1)?.id : undefined }
}

/** All of it, a page at a time. */
export async function* wholeHistory(
  { db }: { db: IndexReader },
  filter: HistoryFilter,
  { at, order }: { at: Pick<At, 'block'>; order: Order },
): AsyncGenerator<EventTable> {
  let after: Place | undefined
  for (;;) {
    const rows = await pageAfter(matching(db, filter, at), order, after, STREAM_PAGE).execute()
    yield* rows
    after = rows.at(-1)
    if (after === undefined || rows.length < STREAM_PAGE) return
  }
}

type Matching = SelectQueryBuilder<LedgerTables, 'event', object>

function matching(db: IndexReader, filter: HistoryFilter, at: Pick<At, 'block'>): Matching {
  let query: Matching = db.selectFrom('event').where('block', '<=', at.block)
  const { trustRegistryId, revocationRegistryId, dids, events, schemaId, from, to } = filter
  if (trustRegistryId !== undefined) query = query.where('trust_registry_id', '=', trustRegistryId)
  if (revocationRegistryId !== undefined) query = query.where('revocation_registry_id', '=', revocationRegistryId)
  if (schemaId !== undefined) query = query.where('schema_id', '=', schemaId)
  if (events !== undefined) query = query.where('name', 'in', events.flatMap(fullNames))
  for (const did of dids ?? []) query = query.where((eb) => eb.or([eb('subject', '=', did), eb('actor', '=', did)]))
  if (from !== undefined)
    query = 'block' in from ? query.where('block', '>=', from.block) : query.where('time', '>=', from.instant)
  if (to !== undefined)
    query = 'block' in to ? query.where('block', '<=', to.block) : query.where('time', '<=', to.instant)
  return query
}

function pageAfter(query: Matching, order: Order, after: Place | undefined, limit: number) {
  const place = sql`(event.block, event.index)`
  const beyond =
    after === undefined
      ? query
      : query.where(
          order === 'asc'
            ? sql<boolean>`${place} > (${after.block}::int, ${after.index}::int)`
            : sql<boolean>`${place} < (${after.block}::int, ${after.index}::int)`,
        )
  return beyond.selectAll().orderBy('block', order).orderBy('index', order).limit(limit)
}

function fullNames(name: string): string[] {
  return name.includes('.') ? [name] : PALLETS.map((pallet) => `${pallet}.${name}`)
}

/** A cursor is the id of the last event of the page before. */
function parseCursor(cursor: string): Place {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(cursor)
  if (match === null) throw invalid('cursor must be one that a page before answered as next')
  return { block: Number(match[1]), index: Number(match[2]) }
}
