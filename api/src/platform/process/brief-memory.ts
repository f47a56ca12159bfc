import { LRUCache } from 'lru-cache'

/** An answer is asked for again after this time at the latest. */
export const BRIEFLY_MS = 1000

/** Remembers answers that seldom change for at most a second, counted from when they were asked for. */
export class BriefMemory<Answer extends object> {
  readonly #known: LRUCache<string, Answer>

  /** @param most the number of answers that are remembered; beyond it those that nobody used for longest are forgotten */
  constructor(most: number) {
    // `lru-cache` would keep a clock of its own, and read it at most once a millisecond.
    this.#known = new LRUCache({ max: most, ttl: BRIEFLY_MS, ttlResolution: 0, perf: { now: () => performance.now() } })
  }

  /** @param ask undefined is no answer, and not remembered */
  async get<Asked extends Answer | undefined>(key: string, ask: () => Promise<Asked>): Promise<Answer | Asked> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const start = performance.now()
    const answer = await ask()
    if (answer !== undefined) this.#known.set(key, answer, { start })
    return answer
  }

  forget(key: string): void {
    this.#known.delete(key)
  }

  clear(): void {
    this.#known.clear()
  }
}
