import { connectionEnded } from './errors.js'

export interface TurnBounds {
  /** Calls in work at once. */
  readonly running: number
  /** The calls of one caller in work at once. */
  readonly ofOne: number
}

/** A party that takes turns with others: a connection, a request over plain HTTP, or all of one address. */
type Caller = object

interface Waiting {
  begin(): void
  refuse(reason: Error): void
}

/**
 * The calls of all callers in turns: a call waits for no more than the calls in work, also where another caller has a
 * thousand.
 */
export class Turns {
  readonly #bounds: TurnBounds
  #running = 0
  readonly #runningOf = new WeakMap<Caller, number>()
  /** The lines stand in the order in which their turns come. */
  readonly #waiting = new Map<Caller, Waiting[]>()

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds
  }

  async run<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    if (!this.#mayBegin(caller) || this.#waiting.has(caller)) await this.#wait(caller)
    this.#count(caller, 1)
    try {
      return await work()
    } finally {
      this.#count(caller, -1)
      this.#beginNext()
    }
  }

  /** Calls of a caller that is gone never begin. */
  leave(caller: Caller): void {
    const line = this.#waiting.get(caller) ?? []
    this.#waiting.delete(caller)
    for (const { refuse } of line) refuse(connectionEnded())
  }

  #wait(caller: Caller): Promise<void> {
    const line = this.#waiting.get(caller) ?? []
    this.#waiting.set(caller, line)
    return new Promise((begin, refuse) => line.push({ begin, refuse }))
  }

  #beginNext(): void {
    for (const [caller, line] of this.#waiting) {
      if (!this.#mayBegin(caller)) continue
      const next = line.shift()
      // A caller that had a turn comes last in the next round.
      this.#waiting.delete(caller)
      if (line.length > 0) this.#waiting.set(caller, line)
      next?.begin()
      return
    }
  }

  #mayBegin(caller: Caller): boolean {
    return this.#running < this.#bounds.running && (this.#runningOf.get(caller) ?? 0) < this.#bounds.ofOne
  }

  #count(caller: Caller, by: number): void {
    this.#running += by
    this.#runningOf.set(caller, (this.#runningOf.get(caller) ?? 0) + by)
  }
}
