/** A block closes at this many events: its readers decode them all at once. */
export const MAX_EVENTS = 2_000
/** ... or at this much work: meanwhile the ledger answers nobody. */
export const MAX_BUILD_MS = 250

const FIRST_BUDGET_BYTES = 32_768
const LEAST_BUDGET_BYTES = 4_096
const MOST_BUDGET_BYTES = 4_000_000
/** The cost of every block, whatever it holds. */
const FIXED_MS = 5

/**
 * Decides how many bytes of extrinsics go into a block, so that it stays inside both limits. The cost of an extrinsic
 * is only known after it ran; earlier blocks tell the cost of a byte.
 */
export class BlockBudget {
  #bytes = FIRST_BUDGET_BYTES

  get bytes(): number {
    return this.#bytes
  }

  /** Learns from a block of so many bytes: the aim is four fifths of the size that the tighter limit allows. */
  built(bytes: number, events: number, milliseconds: number): void {
    if (bytes < this.#bytes / 4) return // too small to tell
    const byEvents = (bytes / Math.max(events, 1)) * MAX_EVENTS
    const byTime = (bytes / Math.max(milliseconds - FIXED_MS, 1)) * (MAX_BUILD_MS - FIXED_MS)
    this.#set(Math.min(byEvents, byTime, this.#bytes * 2.5) * 0.8)
  }

  /** Learns that a block of so many bytes was too much. */
  exceeded(bytes: number): void {
    this.#set(bytes / 2)
  }

  #set(bytes: number): void {
    this.#bytes = Math.min(Math.max(Math.floor(bytes), LEAST_BUDGET_BYTES), MOST_BUDGET_BYTES)
  }
}
