/**
 * Many callers, one statement: what arrives while a group is being worked on forms the next group. `run` answers each
 * item with a result or with the error that only its caller gets. The shares of items take turns, one
 * item at a time, so that nobody waits for more than a group of somebody else's: `dataloader` knows one line only.
 */
export function batchLoader<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Error)[]>,
  { maxItems = 500, shareOf = () => '' }: { maxItems?: number; shareOf?(item: Item): string } = {},
): (item: Item) => Promise<Result> {
  const waiting = new Queues<{ item: Item; resolve(result: Result): void; reject(error: unknown): void }>()
  let isRunning = false

  async function work() {
    while (!waiting.isEmpty) {
      const group = waiting.take(maxItems)
      try {
        const results = await run(group.map(({ item }) => item))
        group.forEach(({ resolve, reject }, index) => {
          const result = results[index]
          if (result === undefined || result instanceof Error) reject(result ?? new Error('A result is missing.'))
          else resolve(result)
        })
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    isRunning = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.add(shareOf(item), { item, resolve, reject })
      // Begins at the end of the tick, so that all of it is in the first group too.
      if (!isRunning) {
        isRunning = true
        setImmediate(() => void work())
      }
    })
}

/** One queue a share; the shares take turns. */
class Queues<Entry> {
  readonly #byShare = new Map<string, Entry[]>()

  get isEmpty(): boolean {
    return this.#byShare.size === 0
  }

  add(share: string, entry: Entry): void {
    const own = this.#byShare.get(share)
    if (own === undefined) this.#byShare.set(share, [entry])
    else own.push(entry)
  }

  take(count: number): Entry[] {
    const taken: Entry[] = []
    for (const [share, own] of this.#byShare) {
      if (taken.length === count) break
      taken.push(...own.splice(0, 1))
      // Back to the end of the row, where it has more, and comes by again.
      this.#byShare.delete(share)
      if (own.length > 0) this.#byShare.set(share, own)
    }
    return taken
  }
}
