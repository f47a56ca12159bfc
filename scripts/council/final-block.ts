/**
 * The age of a block, by the clock here, beyond which its state is not that of now. LEDGER_MAX_AGE_MS of the product may be
 * longer, since it is about what is read; keys are deleted for good, and others may sign after two sessions, which take a
 * minute. A clock here that is late makes a block look newer by as much: so it may be ten seconds older than this where
 * clocks differ by what is allowed below, and a clock that is later still is noticed by a block of now alone.
 */
const MAX_AGE_MS = 60_000
/** The time by which a block may lie ahead of the clock here: clocks of servers differ by less. */
const AHEAD_OF_CLOCK_MS = 10_000

const secondsOf = (milliseconds: number): number => Math.round(milliseconds / 1000)

/**
 * Returns why the state after a final block is not that of now; null where it is.
 *
 * @param time that of the block, in milliseconds since 1970; null for the genesis, which has none
 * @param now the clock here, likewise
 */
export function doubtOf(time: number | null, now: number): string | null {
  if (time === null) return 'That is the genesis: this node knows no later final block. Nobody deletes a key by it.'
  const ageMs = now - time
  if (ageMs > MAX_AGE_MS)
    return `That is an old state, ${secondsOf(ageMs)} s behind the clock here: finality stands still, or this node is cut off. Nobody deletes a key by it.`
  if (ageMs < -AHEAD_OF_CLOCK_MS)
    return `That block lies ${secondsOf(-ageMs)} s ahead of the clock here, by which its age cannot be told. Nobody deletes a key by it.`
  return null
}

/** Tells the time of a block, and its age by the clock here. */
export const timeText = (time: string | null, now: number): string =>
  time === null ? 'which has no time' : `of ${time}, ${secondsOf(now - Date.parse(time))} s ago`
