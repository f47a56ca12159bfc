import { sql } from 'kysely'
import { Type } from 'typebox'
import { ApiError, invalid } from '../../platform/errors.js'
import type { AnyContext } from '../../platform/http/context.js'
import { batchLoaderBy, inOrderOfQuestions } from '../../platform/process/batch-loader.js'
import type { Clock } from '../../platform/process/clock.js'
import { byKey, type IndexDb, type IndexHead, type IndexReader, staleness } from './index-db.js'
import { AHEAD_MS, parseDay, parsePoint } from './instant.js'
import { type NamedPoint, settledPoints } from './settled-points.js'

/** The point that an answer is true for. */
export interface At {
  /** The block whose state is asked for. */
  block: number
  /** The time at which that block was made. */
  time: Date
  /** The hash of that block: of two forks, it tells which one is meant. */
  hash: string
  /** True where no fork of the ledger can take the block back. On a network every point is. */
  isFinal: boolean
  /** True when the block after this one is final: the question then means this block for ever. */
  isSettled: boolean
  /**
   * The moment that validity is checked at: the requested instant; for a block, the last millisecond at which it was
   * current.
   */
  instant: Date
  /** The point as the caller named it; undefined: now. */
  requested: string | undefined
  /** True for the block that the present stands on: there is no point after it. */
  isHead: boolean
  /**
   * The time for which the ledger may have changed without the index: the age of the oldest block that it lacks, on a
   * network that of the newest final block; 0 for the past, which is complete.
   */
  lagMs: number
  /** Why the ledger may have changed since without anybody here hearing of it (`staleness`); left out: it has not. */
  stale?: string
}

/** A block that a question is about. */
export type BlockPoint = Pick<At, 'block' | 'time' | 'hash'>

/** `at` in queries. */
export const AtQuery = Type.Object({
  at: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The point in time of the answer: a block number, an ISO 8601 instant with its offset, or a full date, which means its last millisecond in UTC. Default: now.',
      examples: ['1200', '2026-01-31T12:00:00Z', '2026-01-31'],
    }),
  ),
})

/** The type of `at` in bodies, where a block number may be a number. */
export const AtBody = Type.Optional(
  Type.Union([Type.String({ maxLength: 64 }), Type.Integer({ minimum: 0, maximum: 4_294_967_295 })], {
    description:
      'The point in time of the answer: a block number, an ISO 8601 instant with its offset, or a full date, which means its last millisecond in UTC. Default: now.',
  }),
)

export interface ResolveOptions {
  /**
   * Questions about the present are not answered where it cannot be told: 503. A list of events may be, since what it
   * lists is true for ever: the answer says so (`Accredit-Stale`).
   */
  mayBeStale?: boolean
  /** The name of the point in refusals; `'at'` when left out. */
  name?: string
}

const points = settledPoints<At>()

/**
 * Returns the point that `at` means.
 *
 * @param at a block number, or an instant or full date (its last millisecond), which mean the last block at or before;
 *   undefined: now
 * @throws 400 `invalid_request`: malformed, before the first block, after the newest one, or later than the clock + 2 s
 * @throws 503 `ledger_unavailable`: nothing is indexed, or the present is asked for and the index lags too much, or a
 *   network's newest final block is too old
 */
export async function resolveAt(
  index: IndexDb,
  at: string | number | undefined,
  clock: Clock,
  options: ResolveOptions = {},
): Promise<At> {
  const now = clock.now()
  const asked = at === undefined ? undefined : readPoint(String(at), options.name ?? "'at'")
  // A settled point needs no look at the newest block: most questions about the past ask the database nothing here.
  const settled = asked && points.find(index.db, asked.named)
  if (settled) return { ...settled, requested: asked.text }
  const head = await index.head()
  const point = asked === undefined ? present(head, now, undefined) : await pointOf(index, head, asked, now)
  if (asked !== undefined) points.keep(index.db, asked.named, point)
  const stale = point.isHead ? staleness(index, head) : undefined
  if (stale === undefined) return point
  if (options.mayBeStale) return { ...point, stale }
  throw new ApiError('ledger_unavailable', `${stale}, and an old answer would look like a new one`)
}

/** A point as a caller named it. */
interface Asked {
  text: string
  name: string
  named: NamedPoint
}

const readPoint = (text: string, name: string): Asked => ({ text, name, named: namedPoint(text, name) })

function namedPoint(text: string, name: string): NamedPoint {
  const point = text.trim()
  if (/^\d{1,10}$/.test(point)) return Number(point)
  const instant = parsePoint(point)
  if (instant !== undefined) return instant
  throw invalid(
    `${name} must be a block number, an ISO 8601 instant with its offset (2026-01-31T12:00:00Z) or a full date (2026-01-31)`,
  )
}

const pointOf = (index: IndexDb, head: IndexHead, asked: Asked, now: Date): Promise<At> =>
  typeof asked.named === 'number'
    ? atBlock(index, head, asked.named, now, asked)
    : atInstant(index, head, asked.named, now, asked)

/** The ledger's clock may be a little ahead of ours: the present is never before the newest block. */
function present(head: IndexHead, now: Date, requested: string | undefined): At {
  return { ...pointOfHead(head), instant: new Date(Math.max(now.getTime(), head.time.getTime())), requested }
}

/** The present may move on at any moment. */
const pointOfHead = ({ block, time, hash, isFinal, lagMs }: IndexHead) =>
  ({ block, time, hash, isFinal, isSettled: false, isHead: true, lagMs }) as const

const pointOfPast = (block: number, { settledHeight }: IndexHead) =>
  ({ isFinal: block <= settledHeight, isSettled: block < settledHeight, isHead: false, lagMs: 0 }) as const

function refuseLater(block: number, { block: last, newest }: IndexHead, name: string): void {
  if (block <= last) return
  if (newest.block > last) throw invalid(`${name} is block ${block}, and the newest that is final is ${last}`)
  throw invalid(`${name} is block ${block}, and the newest is ${last}`)
}

async function atBlock(index: IndexDb, head: IndexHead, block: number, now: Date, asked: Asked): Promise<At> {
  const { text: requested, name } = asked
  refuseLater(block, head, name)
  if (block === head.block) return present(head, now, requested)
  const { own, next, hash } = await timesOf(index.db, block)
  if (own === null || next === null) throw invalid(`${name} is block ${block}, before the first one`)
  // Blocks of one millisecond follow each other on an embedded ledger: then n was current for no time at all.
  const instant = new Date(Math.max(own.getTime(), next.getTime() - 1))
  return { block, time: own, hash, instant, requested, ...pointOfPast(block, head) }
}

async function atInstant(index: IndexDb, head: IndexHead, instant: Date, now: Date, asked: Asked): Promise<At> {
  const { text: requested, name } = asked
  if (instant.getTime() > now.getTime() + AHEAD_MS)
    throw invalid(`${name} lies in the future${isDay(requested) ? ': a full date means its last millisecond' : ''}`)
  if (instant >= head.time) return { ...pointOfHead(head), instant, requested }
  const last = await lastBlockAt(index.db, instant)
  if (last.height === null) throw invalid(`${name} is before the first block, of ${head.genesisTime.toISOString()}`)
  const { height: block, time, hash } = last
  return { block, time, hash, instant, requested, ...pointOfPast(block, head) }
}

const isDay = (text: string): boolean => parseDay(text.trim()) !== undefined

const POINTS = { running: 1, most: 200 }

type Times = { next: Date | null } & ({ own: Date; hash: string } | { own: null; hash: null })

/** Reads the time and hash of each block, and the time of the block after it. */
const timesOf = batchLoaderBy(async (db: IndexReader, blocks: number[]) => {
  const { rows } = await sql<{ n: string } & Times>`
    select q.n, b.time as own, b.hash, s.time as next from unnest(${blocks}::int[]) with ordinality q (height, n)
      left join ledger.block b on b.height = q.height left join ledger.block s on s.height = q.height + 1`.execute(
    byKey(db),
  )
  return inOrderOfQuestions(rows)
}, POINTS)

/** A block, or the information that there is none. */
type Found = { height: number; time: Date; hash: string } | { height: null; time: null; hash: null }

/** Returns the last block at or before an instant. */
const lastBlockAt = batchLoaderBy(async (db: IndexReader, instants: Date[]) => {
  const { rows } = await sql<{ n: string } & Found>`
    select q.n, b.height, b.time, b.hash from unnest(${instants}::timestamptz[]) with ordinality q (instant, n)
      left join lateral (select b.height, b.time, b.hash from ledger.block b where b.time <= q.instant
        order by b.time desc, b.height desc limit 1) b on true`.execute(byKey(db))
  return inOrderOfQuestions(rows)
}, POINTS)

/** Returns the last block at or before an instant, none later than `at`; undefined: there was no block yet. */
export async function pointBefore(index: IndexDb, instant: Date, at: BlockPoint): Promise<BlockPoint | undefined> {
  if (instant >= at.time) return { block: at.block, time: at.time, hash: at.hash }
  const last = await lastBlockAt(index.db, instant)
  return last.height === null ? undefined : { block: last.height, time: last.time, hash: last.hash }
}

/** Resolves `at` for an answer, which names its block from here on, also when it turns out to be a refusal. */
export async function answerAt(
  ctx: Pick<AnyContext, 'index' | 'clock' | 'reply'>,
  at: string | number | undefined,
  options: ResolveOptions = {},
): Promise<At> {
  const resolved = await resolveAt(ctx.index, at, ctx.clock, options)
  sendAt(ctx, resolved)
  return resolved
}

/** Names the block that the answer is true for, and tells whether it is final, and why it may be an old one. */
export function sendAt(
  ctx: { reply: { header(name: string, value: string): void } },
  at: Pick<At, 'block' | 'time' | 'isFinal' | 'stale'>,
): void {
  ctx.reply.header('Accredit-Block', String(at.block))
  ctx.reply.header('Accredit-Block-Time', at.time.toISOString())
  ctx.reply.header('Accredit-Final', String(at.isFinal))
  if (at.stale !== undefined) ctx.reply.header('Accredit-Stale', at.stale)
}
