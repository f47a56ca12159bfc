import { type AnsweredPoint, readPoint } from '../ecosystems/read-point.js'
import { parseDay, parsePoint } from '../ledger/read/instant.js'
import { ApiError, invalid } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import type { Clock } from '../platform/process/clock.js'
import { pageRefusal } from './page-refusal.js'
import type { Words } from './words.js'

/**
 * Reads a date as people give it: in the form of `at` elsewhere; as a date picker sends it (a moment without offset, in
 * UTC); or as a day, which is its last moment in UTC, or now while it lasts.
 *
 * @returns the value of `at` elsewhere; undefined: now
 */
function pointInWords(text: string | undefined, clock: Clock): string | undefined {
  const given = text?.trim()
  if (given === undefined || given === '') return undefined
  if (parseDay(given)) return given === clock.now().toISOString().slice(0, 10) ? undefined : given
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(given)) return readable(`${given}Z`)
  return /^\d{1,10}$/.test(given) ? given : readable(given)
}

function readable(text: string): string {
  if (parsePoint(text) === undefined) throw invalid('at is no date', { field: 'at' })
  return text
}

/**
 * The point that a page is shown at, and the reader's text for it; undefined where that is now, however it was written.
 */
export async function pagePoint(
  ctx: PublicContext,
  at: string | undefined,
  words: Words,
): Promise<{ point: AnsweredPoint; at: string | undefined }> {
  const now = ctx.clock.now()
  const asked = pointInWords(at, ctx.clock)
  const point = await readPoint(ctx, asked).catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 400 || asked === undefined) throw error
    throw outside(asked, { now, block: (await ctx.index.head()).block }, words)
  })
  return { point, at: point.instant < now ? at : undefined }
}

/**
 * Returns the refusal of a date that can be read, and for which the ledger has no state. A block that does not exist
 * yet is in the future as well.
 */
function outside(asked: string, { now, block }: { now: Date; block: number }, words: Words): ApiError {
  const instant = parsePoint(asked)
  const isEarly = instant === undefined ? Number(asked) < block : instant < now
  const title = words.plain('cannotBeShown')
  return pageRefusal('invalid_request', { title, text: words.plain(isEarly ? 'beforeTheFirst' : 'inTheFuture') })
}
