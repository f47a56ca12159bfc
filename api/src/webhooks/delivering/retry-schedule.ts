const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses after failed tries; the last one repeats until the time is over. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR]

/** The part of a pause by which it may be longer or shorter, so that receivers do not get everything at once. */
const JITTER = 0.2

/** The time for which an event is tried. */
export const TRIED_FOR_MS = 24 * HOUR

/** The time after which a web hook that only fails is disabled. */
export const DISABLED_AFTER_MS = 5 * 24 * HOUR

/**
 * Returns when the next try is, the last one at `giveUp`; undefined when there is none.
 *
 * @param tries the failed ones so far, from 1
 * @param chance from 0 to 1
 */
export function nextTry(tries: number, now: Date, giveUp: Date, chance: number): Date | undefined {
  if (now >= giveUp) return undefined
  const pause = PAUSES[Math.min(tries, PAUSES.length) - 1] ?? SECOND
  const next = now.getTime() + pause * (1 + JITTER * (2 * chance - 1))
  return new Date(Math.min(next, giveUp.getTime()))
}
