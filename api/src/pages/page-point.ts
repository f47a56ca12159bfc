import { type ReadPoint, readPoint } from '../ecosystems/read-point.js'
import { parseDay, parsePoint } from '../ledger/instant.js'
import type { Clock } from '../platform/clock.js'
import type { PublicContext } from '../platform/context.js'
import { invalid } from '../platform/errors.js'

/**
 * What a person means by a date: what `at` means elsewhere; besides, what a date picker sends (a moment without offset), which is
 * UTC; and a day, which is its last moment in UTC, or now while it lasts.
 * @returns what `at` means elsewhere; undefined: now
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

/** The point that a page is shown at, and what it was asked for by; undefined where that is now, however it was said. */
export async function pagePoint(
  ctx: PublicContext,
  at: string | undefined,
): Promise<{ point: ReadPoint; at: string | undefined }> {
  const now = ctx.clock.now()
  const point = await readPoint(ctx, pointInWords(at, ctx.clock), { name: 'The date' })
  return { point, at: point.instant < now ? at : undefined }
}
