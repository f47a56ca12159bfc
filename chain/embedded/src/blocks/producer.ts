import type { Chain } from '../chain/chain.js'
import { RuntimeTrap } from '../executor/executable.js'
import type { Hex } from '../store/store.js'
import { BlockBudget, MAX_EVENTS } from './block-budget.js'
import { Builder, type Draft } from './builder.js'
import { PoolRoom, USUAL_SHARES } from './pool-room.js'
import { inTurns } from './sender-turns.js'
import { ExtrinsicRefused, Submission } from './submission.js'

/** Extrinsics that arrive within this time share a block. */
const BATCH_WINDOW_MS = 4
/** The most extrinsics ahead of their sender's nonce that are kept. */
const MAX_WAITING = 256

export interface ProducerEvents {
  /** Called after each block with its content and its duration. */
  onProduced?(draft: Draft, milliseconds: number): void
  /**
   * Called when the chain cannot go on: a block could not be made durable, or the runtime does not even build an empty
   * one.
   */
  onFatal(cause: unknown): void
}

/**
 * Turns submitted extrinsics into blocks, one block at a time, as soon as there are any; without them it does nothing.
 */
export class Producer {
  readonly #chain: Chain
  readonly #builder: Builder
  readonly #events: ProducerEvents
  readonly #budget = new BlockBudget()
  /** The most extrinsics in the next block, after more were too much for one. */
  #most = Number.POSITIVE_INFINITY
  readonly #room = new PoolRoom(USUAL_SHARES)
  readonly #byHash = new Map<Hex, Submission>()
  #queue: Submission[] = []
  #waiting: Submission[] = []
  #working: Promise<void> | undefined
  #closed = false

  constructor(chain: Chain, clock: () => number, events: ProducerEvents) {
    this.#chain = chain
    this.#builder = new Builder(chain, clock)
    this.#events = events
  }

  /** @param from the address that it came from; undefined: a process of the product brings it */
  submit(extrinsic: Hex, from?: string): Submission {
    if (this.#closed) throw new ExtrinsicRefused(1011, 'The ledger is stopping', '')
    const submission = Submission.parse(extrinsic, from)
    if (this.#byHash.has(submission.hash)) throw new ExtrinsicRefused(1013, 'Transaction is already imported', '')
    if (!this.#room.hasRoomFor(from)) throw new ExtrinsicRefused(1016, 'Immediately Dropped', 'The pool is full')
    this.#byHash.set(submission.hash, submission)
    this.#room.take(submission)
    this.#queue.push(submission)
    this.#wake()
    return submission
  }

  /** Lists the submissions that are in no block yet. */
  pending(): Submission[] {
    return [...this.#byHash.values()]
  }

  /** Builds a block now, also an empty one. */
  async produce(): Promise<void> {
    await this.#working
    this.#working = this.#work(true)
    await this.#working
  }

  /** Ends after the block at hand; extrinsics that are in no block are refused. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
    this.#refuse(this.pending(), new ExtrinsicRefused(1011, 'The ledger is stopping', ''))
  }

  #wake(): void {
    if (this.#working || this.#closed) return
    this.#working = new Promise((resolve) => setTimeout(resolve, BATCH_WINDOW_MS)).then(() => this.#work(false))
  }

  async #work(evenEmpty: boolean): Promise<void> {
    try {
      let must = evenEmpty
      while ((this.#queue.length > 0 || must) && !this.#closed) {
        must = false
        await this.#next()
      }
    } catch (cause) {
      this.#closed = true
      this.#events.onFatal(cause)
    } finally {
      this.#working = undefined
    }
  }

  async #next(): Promise<void> {
    const taken = this.#take()
    const started = performance.now()
    const draft = await this.#draft(taken)
    if (draft === undefined) return
    const good = taken.filter((_submission, position) => draft.refusals[position] === undefined)
    const bytes = good.reduce((sum, submission) => sum + submission.bytes, 0)
    if (draft.events > MAX_EVENTS && good.length > 1) {
      this.#budget.exceeded(bytes)
      this.#putBack(taken, good.length)
      return
    }
    this.#most = Number.POSITIVE_INFINITY
    this.#sortOut(taken, draft.refusals, bytes)
    if (good.length === 0 && taken.length > 0) return
    this.#budget.built(bytes, draft.events, performance.now() - started)
    await this.#commit(draft, good)
    this.#events.onProduced?.(draft, performance.now() - started)
  }

  /**
   * Drafts a block. The runtime fails as a whole for one of these only: that one is refused, the others are put back.
   */
  async #draft(taken: readonly Submission[]): Promise<Draft | undefined> {
    try {
      return await this.#builder.draft(taken.map((submission) => submission.extrinsic))
    } catch (cause) {
      if (!(cause instanceof RuntimeTrap) || taken.length === 0) throw cause
      if (taken.length > 1) this.#putBack(taken, taken.length)
      else this.#refuse(taken, new ExtrinsicRefused(1011, 'Unknown Transaction Validity', cause.message))
      return undefined
    }
  }

  /** The number was too much for one block: half of them are tried next. */
  #putBack(taken: readonly Submission[], tooMany: number): void {
    this.#most = Math.floor(tooMany / 2)
    this.#queue.unshift(...taken)
  }

  /** Takes as many as the budget allows, and always the first; the senders take turns. */
  #take(): Submission[] {
    let bytes = 0
    this.#queue = inTurns(this.#queue)
    const beyond = this.#queue.findIndex((submission, index) => {
      bytes += submission.bytes
      return index > 0 && (bytes > this.#budget.bytes || index >= this.#most)
    })
    return this.#queue.splice(0, beyond < 0 ? this.#queue.length : beyond)
  }

  async #commit(draft: Draft, good: readonly Submission[]): Promise<void> {
    await this.#chain.append(draft.block, draft.changes)
    const first = draft.block.extrinsics.length - good.length
    for (const [position, submission] of good.entries()) {
      this.#settle(submission)
      submission.include({ blockHash: draft.block.hash, index: first + position })
    }
    // A sender's next nonces may have been waiting for these.
    const senders = new Set(good.map((submission) => submission.sender))
    this.#queue.push(...this.#waiting.filter((submission) => senders.has(submission.sender)))
    this.#waiting = this.#waiting.filter((submission) => !senders.has(submission.sender))
  }

  /**
   * Handles extrinsics that the runtime did not take into this block: they wait for the next one, or for their turn, or
   * are refused.
   */
  #sortOut(taken: readonly Submission[], refusals: Draft['refusals'], bytes: number): void {
    const later: Submission[] = []
    for (const [position, submission] of taken.entries()) {
      const refusal = refusals[position]
      if (refusal === undefined) continue
      if (refusal.reason === 'ExhaustsResources' && bytes > 0) later.push(submission)
      else if (refusal.reason === 'Future') this.#keep(submission)
      else this.#refuse([submission], ExtrinsicRefused.by(refusal))
    }
    if (later.length > 0) this.#budget.exceeded(bytes * 2)
    this.#queue.unshift(...later)
  }

  /** Keeps it for later. If too many wait, the longest waiting one of the sender with the most is dropped. */
  #keep(submission: Submission): void {
    submission.wait()
    this.#waiting.push(submission)
    if (this.#waiting.length <= MAX_WAITING) return
    const most = mostFrequentSender(this.#waiting)
    const longest = this.#waiting.findIndex(({ sender }) => sender === most)
    this.#refuse(
      this.#waiting.splice(longest, 1),
      new ExtrinsicRefused(1016, 'Immediately Dropped', 'The pool is full'),
    )
  }

  #refuse(submissions: readonly Submission[], reason: ExtrinsicRefused): void {
    for (const submission of submissions) {
      this.#settle(submission)
      submission.refuse(reason)
    }
  }

  #settle(submission: Submission): void {
    if (this.#byHash.delete(submission.hash)) this.#room.giveBack(submission)
  }
}

function mostFrequentSender(submissions: readonly Submission[]): Hex | undefined {
  const counts = new Map<Hex, number>()
  for (const { sender } of submissions) counts.set(sender, (counts.get(sender) ?? 0) + 1)
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [undefined, 0] as [
    Hex | undefined,
    number,
  ])[0]
}
