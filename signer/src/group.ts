/**
 * Many callers, one statement: what arrives while a group is being worked on forms the next group. `run` answers each
 * item with a result or with the error that only its caller gets.
 */
export function grouped<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Error)[]>,
  maxItems = 500,
): (item: Item) => Promise<Result> {
  const waiting: { item: Item; resolve(result: Result): void; reject(error: unknown): void }[] = []
  let isRunning = false

  async function work() {
    isRunning = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxItems)
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
      waiting.push({ item, resolve, reject })
      // Begins at the end of the tick, so that all of it is in the first group too.
      if (!isRunning) {
        isRunning = true
        setImmediate(() => void work())
      }
    })
}
