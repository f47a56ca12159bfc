/**
 * One WebSocket to one of the ledger's nodes, which comes back by itself: at the same node or, where there are several,
 * at the next. A node is asked nothing before it has shown that its ledger is the one that is wanted.
 */
import { discardedBlock, hasDiscarded } from '@accredit/process/discarded-block'
import { WsProvider } from '@polkadot/rpc-provider/ws'
import type { FastifyBaseLogger } from 'fastify'
import { SetupError } from '../errors.js'

export interface ConnectionNeeds {
  /** The nodes, WebSocket addresses, in the order in which they are tried. */
  urls: readonly string[]
  /** The hash of the first block of the ledger that is wanted; undefined: that of the first node that answers. */
  genesisHash?: string | undefined
  /**
   * Tells the height of the newest block that is read; a node that has discarded it, or the next one, is left. Undefined:
   * any node will do.
   */
  newestRead?: (() => Promise<number | undefined>) | undefined
  /** The time without a new final block after which another node is tried; undefined: none is expected. */
  stallMs?: number | undefined
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export interface Connection {
  /** Rejects with the node's error, and while there is no node whose ledger is known. */
  send(method: string, params: unknown[]): Promise<unknown>
  subscribe(type: string, method: string, onValue: (value: unknown) => void): Promise<void>
  /**
   * Adds work that is done with each node before anything else is: its `send` is open where that of the others is not
   * yet. A failure ends the connection to that node.
   */
  beforeUse(prepare: (send: Connection['send']) => Promise<void>): void
  onConnected(listener: () => void): void
  /** Tells that the final block moved on. */
  moved(): void
  readonly isConnected: boolean
  close(): Promise<void>
}

const reconnectMs = 250
const requestTimeoutMs = 60_000
/** The time for one of several nodes to accept the connection and to say which ledger it has. */
const greetingMs = 30_000
/** An answer of a node has a code; a connection that ends has none. */
const isRefusal = (error: unknown): boolean => error instanceof Error && 'code' in error

/**
 * Resolves with the first node of the wanted ledger that has what is still to be read, however long that takes. Throws
 * when every node answered, and there is none.
 */
export async function openConnection(needs: ConnectionNeeds): Promise<Connection> {
  const connection = new NodeConnection(needs)
  await connection.opened
  return connection
}

class NodeConnection implements Connection {
  readonly opened: Promise<void>
  readonly #needs: ConnectionNeeds
  readonly #provider: WsProvider
  readonly #prepares: ((send: Connection['send']) => Promise<void>)[] = []
  readonly #listeners: (() => void)[] = []
  /** The nodes that have another ledger, or too little of this one, with the sentence that says so. */
  readonly #refused = new Map<string, string>()
  #genesisHash: string | undefined
  #isUsable = false
  #isClosed = false
  /** True from when the present node is given up until the next one is tried. */
  #isLeft = false
  #wasUsed = false
  #hasOpened = false
  #greeting: NodeJS.Timeout | undefined
  #stalling: NodeJS.Timeout | undefined
  #settle: { resolve(): void; reject(error: Error): void } | undefined

  constructor(needs: ConnectionNeeds) {
    this.#needs = needs
    this.#genesisHash = needs.genesisHash
    this.opened = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    // The reconnection is our own: the provider's writes a line for every attempt.
    this.#provider = new WsProvider([...needs.urls], false, {}, requestTimeoutMs)
    this.#provider.on('connected', () => void this.#greet())
    this.#provider.on('disconnected', () => this.#lost())
    this.#provider.on('error', () => undefined)
    this.#connect()
  }

  get isConnected(): boolean {
    return this.#isUsable && this.#provider.isConnected
  }

  async send(method: string, params: unknown[]): Promise<unknown> {
    if (!this.isConnected) throw new Error('No node of the ledger is connected')
    return this.#provider.send(method, params)
  }

  async subscribe(type: string, method: string, onValue: (value: unknown) => void): Promise<void> {
    if (!this.isConnected) throw new Error('No node of the ledger is connected')
    // The provider subscribes again at the next node, before that one is known.
    await this.#provider.subscribe(type, method, [], (_error: unknown, value: unknown) => {
      if (this.#isUsable) onValue(value)
    })
  }

  beforeUse(prepare: (send: Connection['send']) => Promise<void>): void {
    this.#prepares.push(prepare)
  }

  onConnected(listener: () => void): void {
    this.#listeners.push(listener)
  }

  moved(): void {
    clearTimeout(this.#stalling)
    const { stallMs, urls, log } = this.#needs
    if (stallMs === undefined || urls.length < 2 || this.#isClosed) return
    this.#stalling = setTimeout(() => {
      log.warn({ node: this.#node }, 'The ledger’s final block stands still at this node: the next one is asked.')
      this.#leave()
    }, stallMs)
    this.#stalling.unref()
  }

  close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#greeting)
    clearTimeout(this.#stalling)
    return this.#provider.disconnect()
  }

  /** The node's name in the log: the path of its address may be a secret. */
  get #node(): string {
    return new URL(this.#provider.endpoint).host
  }

  #connect(): void {
    if (this.#isClosed) return
    this.#isLeft = false
    if (this.#needs.urls.length > 1) this.#greeting = setTimeout(() => this.#leave(), greetingMs).unref()
    this.#provider.connect().catch(() => undefined)
  }

  #leave(): void {
    this.#isUsable = false
    this.#isLeft = true
    this.#provider.disconnect().catch(() => undefined)
  }

  async #greet(): Promise<void> {
    const send: Connection['send'] = (method, params) => this.#provider.send(method, params)
    try {
      const genesisHash = await send('chain_getBlockHash', [0])
      if (typeof genesisHash !== 'string') throw new Error('the node has no first block')
      this.#genesisHash ??= genesisHash
      const reason = await this.#reasonAgainst(genesisHash, send)
      if (reason !== undefined) return this.#refuse(reason)
      for (const prepare of this.#prepares) await prepare(send)
    } catch {
      return this.#leave()
    }
    clearTimeout(this.#greeting)
    // The answers of a node that took too long may come while its connection is being closed.
    if (this.#isLeft) return
    this.#refused.delete(this.#provider.endpoint)
    this.#isUsable = true
    this.#wasUsed = true
    this.#hasOpened = true
    this.moved()
    this.#settle?.resolve()
    for (const listener of this.#listeners) listener()
  }

  async #reasonAgainst(genesisHash: string, send: Connection['send']): Promise<string | undefined> {
    if (genesisHash !== this.#genesisHash)
      return `The signer's database belongs to ledger ${this.#genesisHash}, this one is ${genesisHash}.`
    const newestRead = await this.#needs.newestRead?.()
    if (newestRead === undefined) return undefined
    // A signer that runs waits for a node that is behind; one that starts takes the next one.
    if (!this.#hasOpened && this.#needs.urls.length > 1 && (await finalHeight(send)) < newestRead)
      return `The node has no final block ${newestRead}, which the signer has read.`
    const discarded = await discardedBlock({ call: send, isRefusal }, newestRead)
    return discarded === undefined ? undefined : `The node ${hasDiscarded(discarded, 'signer')}`
  }

  #refuse(sentence: string): void {
    const { endpoint } = this.#provider
    if (this.#refused.get(endpoint) !== sentence) this.#needs.log.error({ node: this.#node }, sentence)
    this.#refused.set(endpoint, sentence)
    if (this.#refused.size === this.#needs.urls.length) this.#settle?.reject(new SetupError(sentence))
    this.#leave()
  }

  #lost(): void {
    clearTimeout(this.#greeting)
    clearTimeout(this.#stalling)
    this.#isUsable = false
    if (this.#isClosed) return
    if (this.#wasUsed) this.#needs.log.warn('The connection to the ledger is gone.')
    this.#wasUsed = false
    setTimeout(() => this.#connect(), reconnectMs).unref()
  }
}

async function finalHeight(send: Connection['send']): Promise<number> {
  const header = await send('chain_getHeader', [await send('chain_getFinalizedHead', [])])
  const isHeader = typeof header === 'object' && header !== null && 'number' in header
  return isHeader ? Number(header.number) : 0
}
