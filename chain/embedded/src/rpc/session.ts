import { randomBytes } from 'node:crypto'
import type { Producer } from '../blocks/producer.js'
import type { Chain } from '../chain/chain.js'
import type { Caller } from './callers.js'
import { connectionEnded, noSubscriptions, type ReportError, tooManySubscriptions } from './errors.js'
import type { Params } from './params.js'
import { readOnly, unavailable } from './refusals.js'

const MOST_SUBSCRIPTIONS = 256

/** The parts of one ledger that methods work on. */
export interface LedgerContext {
  readonly chain: Chain
  readonly producer: Producer
}

export type Method = (ledger: LedgerContext, params: Params, session: RpcSession) => Promise<unknown>

/** A message without an answer's id: `method` is its type, `id` the subscription's. */
export type Notify = (type: string, id: string, result: unknown) => void

type Send = (result: unknown) => void

/**
 * Opens a subscription. Receives functions that send, that end it after the sent messages, and that end it after a
 * failure of ours; returns a function that runs at its end.
 */
export type Start = (send: Send, finish: () => void, fail: (cause: unknown) => void) => () => void

/** One caller: the methods that it may call and the subscriptions that it holds. */
export class RpcSession {
  readonly #ledger: LedgerContext
  readonly #methods: ReadonlyMap<string, Method>
  readonly #report: ReportError
  readonly #notify: Notify | undefined
  readonly #caller: Caller | undefined
  readonly #subscriptions = new Map<string, () => void>()

  /**
   * There are no subscriptions without `notify` (over HTTP); nobody waits for another without `caller` (in this
   * process).
   */
  constructor(
    ledger: LedgerContext,
    methods: ReadonlyMap<string, Method>,
    report: ReportError,
    notify?: Notify,
    caller?: Caller,
  ) {
    this.#caller = caller
    this.#ledger = ledger
    this.#methods = methods
    this.#report = report
    this.#notify = notify
  }

  async call(method: string, params: Params): Promise<unknown> {
    const known = this.#methods.get(method)
    if (!known) throw unavailable(method)
    if (this.#caller?.isReader && method.startsWith('author_submit')) throw readOnly(method)
    const work = () => known(this.#ledger, params, this)
    // Submissions have turns of their own, and then wait for their block, which is no work.
    if (!this.#caller || method.startsWith('author_submit')) return work()
    return this.#caller.inTurn(work)
  }

  /** The caller, unless it is this process or another one of the product. */
  get stranger(): Caller | undefined {
    return this.#caller?.isOwn ? undefined : this.#caller
  }

  /** `kept` are the characters that it keeps as long as it lasts. */
  subscribe(type: string, start: Start, kept = 0): string {
    // The end came while the call waited, and ends nothing that begins after it.
    if (this.#caller?.hasLeft) throw connectionEnded()
    const notify = this.#notify
    if (!notify) throw noSubscriptions()
    if (this.#subscriptions.size >= MOST_SUBSCRIPTIONS) throw tooManySubscriptions(MOST_SUBSCRIPTIONS)
    const id = randomBytes(8).toString('hex')
    let ended = false
    // A caller learns the id from the answer: nothing may reach it before.
    const send: Send = (result) => {
      setImmediate(() => {
        if (!ended) notify(type, id, result)
      })
    }
    const finish = () => {
      setImmediate(() => this.unsubscribe(id))
    }
    const end = start(send, finish, (cause) => {
      if (!ended) this.#report(cause, type)
      finish()
    })
    this.#subscriptions.set(id, () => {
      ended = true
      end()
      this.#caller?.release(kept)
    })
    this.#caller?.hold(kept)
    return id
  }

  unsubscribe(id: string): boolean {
    const end = this.#subscriptions.get(id)
    this.#subscriptions.delete(id)
    end?.()
    return end !== undefined
  }

  close(): void {
    for (const id of [...this.#subscriptions.keys()]) this.unsubscribe(id)
  }
}
