import { BlockBudget, MAX_EVENTS } from './block-budget.js'
import { Builder, type Draft } from './builder.js'
import type { Chain } from './chain.js'
import { RuntimeTrap } from './executor.js'
import type { Hex } from './store.js'
import { ExtrinsicRefused, Submission } from './submission.js'

/** Extrinsics that arrive within this time share a block. */
const BATCH_WINDOW_MS = 4
/** Extrinsics ahead of their sender's nonce that are kept. */
const MAX_WAITING = 256
const MAX_QUEUED = 10_000

export interface ProducerEvents {
  /** After each block: what it holds and how long it took. */
  onProduced?(draft: Draft, milliseconds: number): void
  /** The chain cannot go on: a block could not be made durable, or the runtime does not even build an empty one. */
  onFatal(cause: unknown): void
}

/** Turns submitted extrinsics into blocks, one block at a time, as soon as there are any; without them it does nothing. */
export class Producer {
  readonly #chain: Chain
  readonly #builder: Builder
  readonly #events: ProducerEvents
  readonly #budget = new BlockBudget()
  readonly #byHash = new Map<Hex, Submission>()
  #queue: Submission[] = []
  #waiting: Submission[] = []
  /** So many of the queue's first go into blocks of their own: together they did not go, one by one each could. */
  #apart = 0
  #working: Promise<void> | undefined
  #closed = false

  constructor(chain: Chain, clock: () => number, events: ProducerEvents) {
    this.#chain = chain
    this.#builder = new Builder(chain, clock)
    this.#events = events
  }

  submit(extrinsic: Hex): Submission {
    if (this.#closed) throw new ExtrinsicRefused(1011, 'The ledger is stopping', '')
    const submission = Submission.parse(extrinsic)
    if (this.#byHash.has(submission.hash)) throw new ExtrinsicRefused(1013, 'Transaction is already imported', '')
    if (this.#queue.length >= MAX_QUEUED) throw new ExtrinsicRefused(1016, 'Immediately Dropped', 'The pool is full')
    this.#byHash.set(submission.hash, submission)
    this.#queue.push(submission)
    this.#wake()
    return submission
  }

  /** What was submitted and is in no block yet. */
  pending(): Submission[] {
    return [...this.#byHash.values()]
  }

  /** Builds a block now, also an empty one. */
  async produce(): Promise<void> {
    await this.#working
    this.#working = this.#work(true)
    await this.#working
  }

  /** Ends after the block at hand; what is in no block is refused. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
    for (const submission of this.pending()) {
      this.#settle(submission)
      submission.refuse(new ExtrinsicRefused(1011, 'The ledger is stopping', ''))
    }
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
    const bytes = taken.reduce((sum, submission) => sum + submission.bytes, 0)
    if (!draft) return this.#sortOut(taken)
    if (draft.events > MAX_EVENTS && taken.length > 1) {
      this.#budget.exceeded(bytes)
      this.#queue.unshift(...taken)
      return
    }
    this.#budget.built(bytes, draft.events, performance.now() - started)
    await this.#commit(draft, taken)
    this.#events.onProduced?.(draft, performance.now() - started)
  }

  /** As many as the budget allows, and always the first. */
  #take(): Submission[] {
    if (this.#apart > 0) {
      this.#apart -= 1
      return this.#queue.splice(0, 1)
    }
    let bytes = 0
    const beyond = this.#queue.findIndex((submission, index) => {
      bytes += submission.bytes
      return index > 0 && bytes > this.#budget.bytes
    })
    return this.#queue.splice(0, beyond < 0 ? this.#queue.length : beyond)
  }

  async #draft(taken: readonly Submission[]): Promise<Draft | undefined> {
    try {
      return await this.#builder.draft(taken.map((submission) => submission.extrinsic))
    } catch (cause) {
      if (cause instanceof RuntimeTrap && taken.length > 0) return undefined
      throw cause
    }
  }

  async #commit(draft: Draft, taken: readonly Submission[]): Promise<void> {
    await this.#chain.append(draft.block, draft.changes)
    const first = draft.block.extrinsics.length - taken.length
    for (const [position, submission] of taken.entries()) {
      this.#settle(submission)
      submission.include({ blockHash: draft.block.hash, index: first + position })
    }
    // A sender's next nonces may have been waiting for these.
    const senders = new Set(taken.map((submission) => submission.sender))
    this.#queue.push(...this.#waiting.filter((submission) => senders.has(submission.sender)))
    this.#waiting = this.#waiting.filter((submission) => !senders.has(submission.sender))
  }

  /** The block at hand held something that the runtime does not take: find out what, and queue the rest again. */
  async #sortOut(taken: readonly Submission[]): Promise<void> {
    const refusals = await this.#builder.tryEach(taken.map((submission) => submission.extrinsic))
    const good: Submission[] = []
    const later: Submission[] = []
    for (const [position, submission] of taken.entries()) {
      const refusal = refusals[position]
      if (!refusal) good.push(submission)
      else if (refusal.reason === 'ExhaustsResources' && good.length > 0) later.push(submission)
      else if (refusal.reason === 'Future' && this.#waiting.length < MAX_WAITING) this.#keep(submission)
      else {
        this.#settle(submission)
        submission.refuse(ExtrinsicRefused.by(refusal))
      }
    }
    if (good.length === taken.length) this.#apart = good.length
    if (good.length === 1 && taken.length === 1) return this.#giveUp(good)
    if (later.length > 0) this.#budget.exceeded(good.reduce((sum, submission) => sum + submission.bytes, 0) * 2)
    this.#queue.unshift(...good, ...later)
  }

  #giveUp(submissions: readonly Submission[]): void {
    this.#apart = 0
    for (const submission of submissions) {
      this.#settle(submission)
      submission.refuse(new ExtrinsicRefused(1011, 'Unknown Transaction Validity', 'No block takes it'))
    }
  }

  #keep(submission: Submission): void {
    submission.wait()
    this.#waiting.push(submission)
  }

  #settle(submission: Submission): void {
    this.#byHash.delete(submission.hash)
  }
}
