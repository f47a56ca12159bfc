import type { StateView } from './executor.js'
import { CODE_KEY, Runtime } from './runtime.js'
import type { Hex, StateChanges, Store, StoredBlock } from './store.js'

/** Entries of the head's state that are kept in memory. A dispatch reads about ten. */
const CACHED_ENTRIES = 100_000

export type BlockListener = (block: StoredBlock, changes: StateChanges) => void

/** A chain as it stands: its head, its past, and who wants to hear of its next block. */
export class Chain {
  readonly store: Store
  readonly genesisHash: Hex
  #head: StoredBlock
  readonly #headValues = new Map<Hex, Hex | undefined>()
  readonly #runtimes = new Map<number, Promise<Runtime>>()
  readonly #listeners = new Set<BlockListener>()

  private constructor(store: Store, genesisHash: Hex, head: StoredBlock) {
    this.store = store
    this.genesisHash = genesisHash
    this.#head = head
  }

  /** Opens a store that holds at least the genesis block. */
  static async open(store: Store): Promise<Chain> {
    const [genesis, head] = await Promise.all([store.blockAt(0), store.head()])
    if (!genesis || !head) throw new Error('the store holds no chain')
    return new Chain(store, genesis.hash, head)
  }

  get head(): StoredBlock {
    return this.#head
  }

  /** The runtime in force after a block, which is the one that executes the next. */
  async runtimeAt(number: number): Promise<Runtime> {
    const since = await this.store.changedAt(CODE_KEY, number)
    if (since === undefined) throw new Error('the chain has no runtime')
    const known = this.#runtimes.get(since)
    if (known) return known
    const loading = this.#loadRuntime(since)
    this.#runtimes.set(since, loading)
    loading.catch(() => this.#runtimes.delete(since))
    return loading
  }

  /** Loads the runtime of the head, so that the first to need it waits less. Who needs it hears of failures. */
  warmUp(): void {
    this.runtimeAt(this.#head.number).catch(() => {})
  }

  async valueAt(key: Hex, number: number): Promise<Hex | undefined> {
    if (number !== this.#head.number) return this.store.valueAt(key, number)
    if (this.#headValues.has(key)) return this.#headValues.get(key)
    const value = await this.store.valueAt(key, number)
    if (number === this.#head.number) this.#remember(key, value)
    return value
  }

  viewAt(number: number): StateView {
    return {
      get: (key) => this.valueAt(key, number),
      nextKey: async (prefix, after) => (await this.store.keysAt(prefix, 1, after, number))[0],
    }
  }

  /** Makes a block durable, then the head, then known. */
  async append(block: StoredBlock, changes: StateChanges): Promise<void> {
    await this.store.append(block, changes)
    for (const [key, value] of changes) this.#remember(key, value ?? undefined)
    this.#head = block
    for (const listener of [...this.#listeners]) listener(block, changes)
  }

  /** Returns the function that ends the subscription. */
  onBlock(listener: BlockListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #loadRuntime(number: number): Promise<Runtime> {
    const code = await this.store.valueAt(CODE_KEY, number)
    if (!code) throw new Error('the chain has no runtime')
    return Runtime.load(code)
  }

  #remember(key: Hex, value: Hex | undefined): void {
    this.#headValues.delete(key)
    this.#headValues.set(key, value)
    if (this.#headValues.size <= CACHED_ENTRIES) return
    const oldest = this.#headValues.keys().next()
    if (!oldest.done) this.#headValues.delete(oldest.value)
  }
}
