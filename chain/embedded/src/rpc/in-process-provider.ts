import { EventEmitter } from 'node:events'
import type { ApiOptions } from '@polkadot/api/types'
import { methods } from './methods.js'
import { type LedgerContext, RpcSession } from './session.js'

type Provider = NonNullable<ApiOptions['provider']>
type Callback = Parameters<Provider['subscribe']>[3]
type Emitted = Parameters<Provider['on']>[0]
type Listener = Parameters<Provider['on']>[1]

/** A provider for `@polkadot/api` that asks a ledger of this process, by the same methods as its server. */
export class InProcessProvider implements Provider {
  readonly hasSubscriptions = true
  readonly isClonable = true
  readonly #ledger: LedgerContext
  readonly #session: RpcSession
  readonly #callbacks = new Map<string, Callback>()
  readonly #emitter = new EventEmitter()
  #isConnected = false
  readonly #ready: Promise<void>

  constructor(ledger: LedgerContext) {
    this.#ledger = ledger
    const report = (cause: unknown) => {
      if (this.#emitter.listenerCount('error') > 0) this.#emitter.emit('error', cause)
    }
    this.#session = new RpcSession(ledger, methods, report, (_type, id, result) =>
      this.#callbacks.get(id)?.(null, result),
    )
    this.#ready = new Promise((resolve) => this.#emitter.once('connected', resolve))
    setImmediate(() => this.connect())
  }

  /** Resolves with the first connection, also for later callers. */
  get isReady(): Promise<void> {
    return this.#ready
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  clone(): Provider {
    return new InProcessProvider(this.#ledger)
  }

  async connect(): Promise<void> {
    if (this.#isConnected) return
    this.#isConnected = true
    this.#emitter.emit('connected')
  }

  async disconnect(): Promise<void> {
    this.#isConnected = false
    this.#callbacks.clear()
    this.#session.close()
    this.#emitter.emit('disconnected')
  }

  on(type: Emitted, listener: Listener): () => void {
    this.#emitter.on(type, listener)
    return () => this.#emitter.off(type, listener)
  }

  /** Leaves the parsing of an answer to the caller. */
  async send<T>(method: string, params: unknown[]): Promise<T> {
    const answer: unknown = await this.#session.call(method, params)
    return parsed<T>(answer)
  }

  async subscribe(_type: string, method: string, params: unknown[], callback: Callback): Promise<string> {
    const id: string = await this.send(method, params)
    this.#callbacks.set(id, callback)
    return id
  }

  async unsubscribe(_type: string, method: string, id: string | number): Promise<boolean> {
    this.#callbacks.delete(String(id))
    return this.send(method, [String(id)])
  }
}

/** Over a socket the answer would be parsed JSON: give the same shapes. */
function parsed<T>(answer: unknown): T {
  return JSON.parse(JSON.stringify(answer ?? null))
}
