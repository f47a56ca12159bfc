import type { Hex, StateChanges, Store, StoredBlock } from './store.js'

interface Layer {
  readonly block: StoredBlock
  readonly changes: StateChanges
}

/** Blocks in memory on top of one block of another store, which is only ever read. For tests and dry runs. */
export class ForkStore implements Store {
  readonly #base: Store
  readonly #forkedAt: StoredBlock
  readonly #layers: Layer[] = []

  constructor(base: Store, forkedAt: StoredBlock) {
    this.#base = base
    this.#forkedAt = forkedAt
  }

  async head(): Promise<StoredBlock> {
    return this.#layers.at(-1)?.block ?? this.#forkedAt
  }

  async blockAt(number: number): Promise<StoredBlock | undefined> {
    if (number <= this.#forkedAt.number) return this.#base.blockAt(number)
    return this.#layers.find((layer) => layer.block.number === number)?.block
  }

  async blockOf(hash: Hex): Promise<StoredBlock | undefined> {
    const own = this.#layers.find((layer) => layer.block.hash === hash)?.block
    if (own) return own
    const below = await this.#base.blockOf(hash)
    return below && below.number <= this.#forkedAt.number ? below : undefined
  }

  async valuesAt(keys: readonly Hex[], number: number): Promise<(Hex | undefined)[]> {
    const changes = keys.map((key) => this.#newestChange(key, number)?.changes.get(key))
    const unchanged = keys.filter((_key, position) => changes[position] === undefined)
    const below = await this.#base.valuesAt(unchanged, Math.min(number, this.#forkedAt.number))
    const values = new Map(unchanged.map((key, position) => [key, below[position]]))
    return keys.map((key, position) => changes[position] ?? values.get(key))
  }

  async writesOf(key: Hex): Promise<number[]> {
    const below = await this.#base.writesOf(key)
    const own = this.#layers.filter((layer) => layer.changes.has(key)).map((layer) => layer.block.number)
    return [...below.filter((number) => number <= this.#forkedAt.number), ...own]
  }

  async keysAt(prefix: Hex, count: number, after: Hex | undefined, number: number): Promise<Hex[]> {
    const own = new Set<Hex>()
    for (const layer of this.#layers) {
      if (layer.block.number > number) break
      for (const key of layer.changes.keys()) {
        if (key.startsWith(prefix) && (after === undefined || key > after)) own.add(key)
      }
    }
    // A change in memory can remove a key of the base: as many more keys are read as could go.
    const below = await this.#base.keysAt(prefix, count + own.size, after, Math.min(number, this.#forkedAt.number))
    const present = [...new Set([...own, ...below])].filter(
      (key) => this.#newestChange(key, number)?.changes.get(key) !== null,
    )
    return present.sort().slice(0, count)
  }

  async append(block: StoredBlock, changes: StateChanges): Promise<void> {
    this.#layers.push({ block, changes })
  }

  async close(): Promise<void> {}

  #newestChange(key: Hex, number: number): Layer | undefined {
    return this.#layers.findLast((layer) => layer.block.number <= number && layer.changes.has(key))
  }
}
