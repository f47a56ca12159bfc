import type { StateView } from '../executor/executable.js'
import { CODE_KEY, Runtime } from '../runtime/runtime.js'
import type { Hex, StateChanges, Store, StoredBlock } from '../store/store.js'
import { BlockCache } from './block-cache.js'
import { RecentlyUsed } from './recently-used.js'

/**
 * The characters of hexadecimal that are kept of the head's state, of the past's, and of the runtime's answers. Absent
 * entries are kept too, by keys that callers choose.
 */
const CACHED_HEAD = 64_000_000
const CACHED_PAST = 32_000_000
const CACHED_ANSWERS = 16_000_000

export type BlockListener = (block: StoredBlock, changes: StateChanges) => void

/** A chain: its head, its past, and the listeners for its next block. */
export class Chain {
  readonly store: Store
  readonly genesisHash: Hex
  #head: StoredBlock
  /** The blocks that set the runtime, oldest first. */
  readonly #codeWrites: number[]
  readonly #blocks = new BlockCache()
  readonly #headValues: RecentlyUsed
  readonly #pastValues = new RecentlyUsed(CACHED_PAST)
  readonly #answers = new RecentlyUsed(CACHED_ANSWERS)
  readonly #runtimes = new Map<number, Promise<Runtime>>()
  readonly #listeners = new Set<BlockListener>()

  private constructor(store: Store, genesisHash: Hex, head: StoredBlock, codeWrites: number[], cachedHead: number) {
    this.store = store
    this.#headValues = new RecentlyUsed(cachedHead)
    this.genesisHash = genesisHash
    this.#head = head
    this.#codeWrites = codeWrites
  }

  /** Opens a store that holds at least the genesis block. */
  static async open(store: Store, cachedHead = CACHED_HEAD): Promise<Chain> {
    const [genesis, head, codeWrites] = await Promise.all([store.blockAt(0), store.head(), store.writesOf(CODE_KEY)])
    if (!genesis || !head) throw new Error('the store holds no chain')
    return new Chain(store, genesis.hash, head, codeWrites, cachedHead)
  }

  get head(): StoredBlock {
    return this.#head
  }

  /** Returns the runtime in force after a block, which is the one that executes the next. */
  async runtimeAt(number: number): Promise<Runtime> {
    const since = this.#codeWrites.findLast((block) => block <= number)
    if (since === undefined) throw new Error('the chain has no runtime')
    const known = this.#runtimes.get(since)
    if (known) return known
    const loading = this.#loadRuntime(since)
    this.#runtimes.set(since, loading)
    loading.catch(() => this.#runtimes.delete(since))
    return loading
  }

  /** Loads the runtime of the head, so that its first user waits less. A caller that needs it gets its failures. */
  warmUp(): void {
    this.runtimeAt(this.#head.number).catch(() => {})
  }

  /** A block up to the head. */
  async blockAt(number: number): Promise<StoredBlock | undefined> {
    if (number > this.#head.number) return undefined
    return this.#blocks.at(number) ?? this.#keep(await this.store.blockAt(number))
  }

  /** Returns a block up to the head: nobody may know one that is stored and not yet the head. */
  async blockOf(hash: Hex): Promise<StoredBlock | undefined> {
    const block = this.#blocks.of(hash) ?? this.#keep(await this.store.blockOf(hash))
    return block && block.number <= this.#head.number ? block : undefined
  }

  async valueAt(key: Hex, number: number): Promise<Hex | undefined> {
    return (await this.valuesAt([key], number))[0]
  }

  async valuesAt(keys: readonly Hex[], number: number): Promise<(Hex | undefined)[]> {
    const known = keys.map((key) => this.#known(key, number))
    const unknown = keys.filter((_key, position) => known[position] === undefined)
    const read = unknown.length > 0 ? await this.store.valuesAt(unknown, number) : []
    const found = new Map(unknown.map((key, position) => [key, read[position]]))
    for (const [key, value] of found) this.#keepValue(key, number, value)
    return keys.map((key, position) => known[position] ?? found.get(key))
  }

  /**
   * Returns the result of an exported function of the runtime over the state of a block; its writes are forgotten. A
   * run is slow in any case, and blocks never change: the latest answers are kept.
   */
  async answer(method: string, argument: Hex, number: number): Promise<Hex> {
    const question = `${number} ${method} ${argument}`
    const known = this.#answers.get(question)
    if (known) return known
    const runtime = await this.runtimeAt(number)
    const answer = await runtime.answer(method, argument, this.viewAt(number))
    this.#answers.set(question, answer)
    return answer
  }

  viewAt(number: number): StateView {
    return {
      known: (key) => this.#known(key, number),
      values: (keys) => this.valuesAt(keys, number),
      keys: (after, count) => this.store.keysAt('0x', count, after, number),
    }
  }

  /** Makes a block durable, then the head, then known. Values written without a change are not stored again. */
  async append(block: StoredBlock, changes: StateChanges): Promise<void> {
    const changed = new Map([...changes].filter(([key, value]) => this.#headValues.get(key) !== value))
    await this.store.append(block, changed)
    for (const [key, value] of changes) this.#headValues.set(key, value)
    if (changed.has(CODE_KEY)) this.#codeWrites.push(block.number)
    this.#head = block
    for (const listener of [...this.#listeners]) listener(block, changes)
  }

  /** Returns the function that ends the subscription. */
  onBlock(listener: BlockListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Null stands for an entry that is known to be absent, undefined for one that is not in memory. */
  #known(key: Hex, number: number): Hex | null | undefined {
    if (number !== this.#head.number) return this.#pastValues.get(`${number} ${key}`)
    return this.#headValues.get(key)
  }

  #keepValue(key: Hex, number: number, value: Hex | undefined): void {
    if (number === this.#head.number) this.#headValues.set(key, value ?? null)
    else this.#pastValues.set(`${number} ${key}`, value ?? null)
  }

  async #loadRuntime(number: number): Promise<Runtime> {
    const [code] = await this.store.valuesAt([CODE_KEY], number)
    if (!code) throw new Error('the chain has no runtime')
    return Runtime.load(code)
  }

  #keep(block: StoredBlock | undefined): StoredBlock | undefined {
    if (block) this.#blocks.add(block)
    return block
  }
}
