/**
 * Returns a runner that does the first work of a kind alone, and the rest of it together: what the first one makes for
 * all of its kind (a key, a registry) is made once. Where it fails the next one is the first.
 */
export function firstOfKind() {
  const firsts = new Map<string, Promise<boolean>>()
  return async <T extends string>(kind: string, run: () => Promise<T>, succeeds: T): Promise<T> => {
    for (let first = firsts.get(kind); first !== undefined; first = firsts.get(kind)) if (await first) return run()
    let tell: (isMade: boolean) => void = () => undefined
    const isMade = new Promise<boolean>((resolve) => {
      tell = resolve
    })
    firsts.set(kind, isMade)
    let isDone = false
    try {
      const result = await run()
      isDone = result === succeeds
      return result
    } finally {
      if (!isDone) firsts.delete(kind)
      tell(isDone)
    }
  }
}
