import { type At, answerAt, type ResolveOptions, resolveAt } from '../ledger/read/at.js'
import type { AnyContext } from '../platform/http/context.js'
import type { Page } from '../platform/http/pagination.js'

/** The point for which an answer is true: ledger facts as of the block, names and texts as of the instant. */
export interface ReadPoint {
  readonly block: number
  readonly instant: Date
}

/** A point with the hash of its block: of two forks, it tells which one is meant. */
export interface AnsweredPoint extends ReadPoint {
  readonly hash: string
}

export interface Paged<T> {
  readonly total: number
  readonly list: T[]
}

export const FIRST_ONLY: Page = { offset: 0, limit: 1 }

/**
 * Returns a page of rows that each carry the total. A page behind the last row has none to tell it, and the first row
 * is read.
 */
export async function paged<T extends { total: number }>(
  page: Page,
  read: (page: Page) => Promise<T[]>,
): Promise<Paged<T>> {
  const list = await read(page)
  const [first] = list.length > 0 || page.offset === 0 ? list : await read(FIRST_ONLY)
  return { total: first?.total ?? 0, list }
}

// The ledger's clock may be ahead of ours by a little: facts of the newest block are shown at once.
const pointOf = ({ block, hash, instant, time, isHead }: At): AnsweredPoint => ({
  block,
  hash,
  instant: isHead && time > instant ? time : instant,
})

/** Returns the point that a caller asks for, now by default. Names the block in the answer's headers. */
export async function readPoint(
  ctx: AnyContext,
  at?: string | undefined,
  options?: ResolveOptions,
): Promise<AnsweredPoint> {
  return pointOf(await answerAt(ctx, at, options))
}

/** Returns the present point, for planning a change. */
export async function presentPoint(ctx: AnyContext): Promise<ReadPoint> {
  return pointOf(await resolveAt(ctx.index, undefined, ctx.clock))
}
