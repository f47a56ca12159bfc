import type { Did } from '@accredit/chain'
import { type SelectQueryBuilder, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.js'
import { invalid } from '../../../platform/errors.js'
import type { At } from '../at.js'
import { newestFinalIndexed } from '../blocks.js'
import type { IndexReader } from '../index-db.js'
import type { EventTable, LedgerTables } from '../index-tables.js'
import { columnsOf, isOnAny, isOnTrail, rowsOf, type Trails, trailsOf } from './event-index-keys.js'
import { backwards, type HistoryFilter } from './history-filter.js'
import { knownTotal, rememberTotal } from './history-totals.js'

/** An event of the audit trail. */
export type HistoryEvent = EventTable

export type Order = 'asc' | 'desc'

export interface HistoryPage {
  total: number
  list: HistoryEvent[]
  /** The id of the last event of the page; undefined: it is the last page. */
  next: string | undefined
}

interface Place {
  block: number
  index: number
}

const STREAM_PAGE = 1000

interface PageOfHistory {
  at: Pick<At, 'block'>
  order: Order
  /** The id of the event after which it begins. */
  after?: string | undefined
  limit: number
  /**
   * The page leaves out roles in a schema that came and went, or went and came, in one extrinsic; `total` counts them.
   */
  isNetOnly?: boolean
}

/** One page of the audit trail as it was known at a block. */
export async function historyOf(
  { db }: { db: IndexReader },
  filter: HistoryFilter,
  { at, order, after, limit, isNetOnly = false }: PageOfHistory,
): Promise<HistoryPage> {
  const place = after === undefined ? undefined : placeOf(after)
  const between = await inBlocks(db, filter)
  const [total, rows] = await Promise.all([
    totalOf(db, between, at),
    pageAfter(db, between, at, { order, after: place, limit: limit + 1, isNetOnly }),
  ])
  const list = rows.slice(0, limit)
  return { total, list, next: rows.length > limit ? list.at(-1)?.id : undefined }
}

/** Yields all events, a page at a time. */
export async function* wholeHistory(
  { db }: { db: IndexReader },
  filter: HistoryFilter,
  { at, order }: { at: Pick<At, 'block'>; order: Order },
): AsyncGenerator<HistoryEvent> {
  const between = await inBlocks(db, filter)
  let after: Place | undefined
  for (;;) {
    const rows = await pageAfter(db, between, at, { order, after, limit: STREAM_PAGE, isNetOnly: false })
    yield* rows
    after = rows.at(-1)
    if (after === undefined || rows.length < STREAM_PAGE) return
  }
}

/** The filter with its instants as blocks, which give events their order. */
interface Between extends Omit<HistoryFilter, 'from' | 'to'> {
  from: number | undefined
  to: number | undefined
}

async function inBlocks(db: IndexReader, { from, to, ...filter }: HistoryFilter): Promise<Between> {
  const [first, last] = await Promise.all([
    from && ('block' in from ? from.block : firstBlockFrom(db, from.instant)),
    to && ('block' in to ? to.block : lastBlockUpTo(db, to.instant)),
  ])
  return { ...filter, from: first, to: last }
}

/**
 * Compares a block with an instant by the block's time. A block that is not there yet has none.
 * @throws 400 `invalid_request` where nothing can lie between
 */
export async function refuseMixedBackwards(
  { db }: { db: IndexReader },
  { from, to }: Pick<HistoryFilter, 'from' | 'to'>,
): Promise<void> {
  if (from === undefined || to === undefined) return
  if ('block' in from && 'instant' in to) {
    const begin = await timeOf(db, from.block)
    if (begin && begin > to.instant) throw backwards()
  } else if ('instant' in from && 'block' in to) {
    const end = await timeOf(db, to.block)
    if (end && end < from.instant) throw backwards()
  }
}

const timeOf = async (db: IndexReader, height: number): Promise<Date | undefined> =>
  (await db.selectFrom('block').select('time').where('height', '=', height).executeTakeFirst())?.time

const AFTER_ALL = 2_147_483_647

async function firstBlockFrom(db: IndexReader, instant: Date): Promise<number> {
  const blocks = db.selectFrom('block').select('height').where('time', '>=', instant)
  return (await blocks.orderBy('time').orderBy('height').limit(1).executeTakeFirst())?.height ?? AFTER_ALL
}

async function lastBlockUpTo(db: IndexReader, instant: Date): Promise<number> {
  const blocks = db.selectFrom('block').select('height').where('time', '<=', instant)
  return (await blocks.orderBy('time', 'desc').orderBy('height', 'desc').limit(1).executeTakeFirst())?.height ?? -1
}

/** Final events never change: only those that came since the last count are counted. */
async function totalOf(db: IndexReader, filter: Between, at: Pick<At, 'block'>): Promise<number> {
  const key = JSON.stringify(filter)
  const known = knownTotal(db, key, at.block)
  if (known.upTo === at.block) return known.total
  const all = matching(db, filter, at).where('block', '>', known.upTo)
  const { acted, befell } = ofDids(all, filter.dids)
  const counted = acted.select('block')
  const { later, laterFinal, final } = await db
    .selectFrom((befell ? counted.unionAll(befell.select('block')) : counted).as('event'))
    .select((eb) => eb.fn.countAll<string>().as('later'))
    .select(sql<string>`count(*) filter (where event.block <= ${FINAL})`.as('laterFinal'))
    .select(FINAL.as('final'))
    .executeTakeFirstOrThrow()
  rememberTotal(db, key, { upTo: Math.min(final, at.block), total: known.total + Number(laterFinal) }, at.block)
  return known.total + Number(later)
}

/** The block up to which totals are remembered; -1 where nothing is known to be final. */
const FINAL = sql<number>`coalesce(${newestFinalIndexed}, -1)`

type Matching = SelectQueryBuilder<LedgerTables, 'event', object>

/** The filter without its DIDs. */
function matching(db: IndexReader, filter: Between, at: Pick<At, 'block'>): Matching {
  let query: Matching = db.selectFrom('event').where('block', '<=', at.block)
  const { trustRegistryId, revocationRegistryId, events, schemaId, from, to } = filter
  const trails = trailsOf(filter)
  if (trails?.trust_registry_id && trails.name) query = query.where(isOnAny(trails))
  else {
    if (trustRegistryId !== undefined) query = query.where('trust_registry_id', '=', trustRegistryId)
    if (events !== undefined) query = query.where('name', '=', anyOf(events))
  }
  if (revocationRegistryId !== undefined) query = query.where('revocation_registry_id', '=', revocationRegistryId)
  if (schemaId !== undefined) query = query.where('schema_id', '=', schemaId)
  if (from !== undefined) query = query.where('block', '>=', from)
  if (to !== undefined) query = query.where('block', '<=', to)
  return query
}

interface OfDids {
  acted: Matching
  befell?: Matching
}

/**
 * Selects the actions of the first DID and the events that happened to it, by an index each; without DIDs one index
 * serves all.
 */
function ofDids(query: Matching, [did, ...others]: readonly Did[] = []): OfDids {
  if (did === undefined) return { acted: query }
  const rest = others.reduce(
    (all, other) => all.where((eb) => eb.or([eb('subject', '=', other), eb('actor', '=', other)])),
    query,
  )
  return {
    acted: rest.where('actor', '=', did),
    befell: rest.where('subject', '=', did).where('actor', '!=', did),
  }
}

interface Page {
  order: Order
  after: Place | undefined
  limit: number
  isNetOnly: boolean
}

/**
 * Tells in SQL whether an event is of a role that an extrinsic gave or took more than once, and that was the same after
 * it as before. The search begins with the rarest value, its DID.
 */
const CANCELLED = sql<boolean>`(event.name in ('TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged') and exists (
  with told as materialized (select * from ledger.event e where e.block = event.block and e.subject = event.subject)
  select from told t
  where t.extrinsic_hash = event.extrinsic_hash and t.name = event.name and t.schema_id = event.schema_id
    and t.trust_registry_id = event.trust_registry_id
  having count(*) > 1 and coalesce((array_agg(t.before order by t.index))[1], 'null')
    = coalesce((array_agg(t.after order by t.index desc))[1], 'null')))`

/** The indexes have the same order: a page is made of a page of each. */
async function pageAfter(db: IndexReader, filter: Between, at: Pick<At, 'block'>, page: Page): Promise<HistoryEvent[]> {
  const trails = trailsOf(filter)
  if (trails !== undefined) return pageOfTrails(db, filter, trails, at, page)
  const { acted, befell } = ofDids(told(db, filter, at, page), filter.dids)
  if (befell === undefined) return inOrder(acted, page).execute()
  return db
    .selectFrom(
      db
        .selectFrom(inOrder(acted, page).as('a'))
        .selectAll()
        .unionAll(db.selectFrom(inOrder(befell, page).as('b')).selectAll())
        .as('event'),
    )
    .selectAll()
    .orderBy('block', page.order)
    .orderBy('index', page.order)
    .limit(page.limit)
    .execute()
}

/** Each key is read in the same way. */
function pageOfTrails(
  db: IndexReader,
  { from, to }: Between,
  trails: Trails,
  at: Pick<At, 'block'>,
  page: Page,
): Promise<HistoryEvent[]> {
  const one = told(db, { from, to }, at, page).where(isOnTrail(trails))
  return db
    .selectFrom(rowsOf(trails).as<'trail'>(sql`trail (${columnsOf(trails)})`))
    .crossJoinLateral(inOrder(one, page).as('event'))
    .selectAll('event')
    .orderBy('event.block', page.order)
    .orderBy('event.index', page.order)
    .limit(page.limit)
    .execute()
}

function told(db: IndexReader, filter: Between, at: Pick<At, 'block'>, { isNetOnly }: Page): Matching {
  const all = matching(db, filter, at)
  return isNetOnly ? all.where((eb) => eb.not(CANCELLED)) : all
}

function inOrder(query: Matching, { order, after, limit }: Page) {
  const place = sql`(event.block, event.index)`
  const beyond = order === 'asc' ? sql`>` : sql`<`
  const rest =
    after === undefined
      ? query
      : query.where(sql<boolean>`${place} ${beyond} (${after.block}::int, ${after.index}::int)`)
  return rest.selectAll().orderBy('block', order).orderBy('index', order).limit(limit)
}

function placeOf(id: string): Place {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(id)
  if (match === null) throw invalid('cursor must be one that a page before answered as next', { field: 'cursor' })
  return { block: Number(match[1]), index: Number(match[2]) }
}
