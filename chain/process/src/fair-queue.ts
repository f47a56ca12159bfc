export interface Bounds {
  /** Places in all. */
  running: number
  /** The places, of these, that one key may take; default: all. */
  runningPerKey?: number
  waiting: number
  /** The places, of these, that one caller may take, which is the first key of an entry; default: all. */
  waitingPerCaller?: number
}

interface Options {
  /** The number of places that the work takes; more than there are counts as all of them. Default 1. */
  weight?: number
  /** Receives the function that stops the wait. */
  onGone?: (stop: () => void) => void
  /** True for work that was let in before: it waits, however many do. */
  isReturning?: boolean
}

/** The keys of the work: the caller, and others that it counts for as well. */
type Keys = readonly [caller: string, ...others: string[]]

interface Waiting {
  keys: Keys
  weight: number
  isReturning: boolean
  begin: () => void
  refuse: (error: Error) => void
}

/** Why work has no place: too much of its caller waits, too much of all, or the caller went away. */
export type Refusal = 'ofCaller' | 'ofAll' | 'gone'

/** The number of waiting requests that cost a caller one place while other callers are there. */
const LINE_PER_PLACE = 8
/** The time for which a caller counts as present after it came. */
const PRESENT_MS = 5000

/**
 * Work in this process, in turns: each caller that waits gets its next place before any other gets its second, and none
 * has more than a share of the places, of which heavy work takes several. The code is our own, since kept libraries
 * either shed load from everybody alike (under-pressure), count over time (rate limits), or keep one order for all
 * (p-queue, fastq).
 */
export class FairQueue {
  private running = 0
  private waiting = 0
  private readonly runningOf = new Map<string, number>()
  /** The waiting work by caller, in the order in which their turns come. */
  private readonly callers = new Map<string, Waiting[]>()
  /** The callers of the last moments, with the time when each came last, in that order. */
  private readonly present = new Map<string, number>()

  private readonly most: Required<Bounds>

  /** @param refusal makes the error that the caller gets */
  constructor(
    most: Bounds,
    private readonly refusal: (why: Refusal) => Error,
  ) {
    this.most = { runningPerKey: most.running, waitingPerCaller: most.waiting, ...most }
  }

  /** Does the work when the caller has its turn. @throws like `enter` */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter([caller])
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Waits for a place.
   *
   * @returns gives the place back; further calls do nothing
   * @throws a refusal when the caller, or all, have too many waiting already
   */
  async enter(keys: Keys, options: Options = {}): Promise<() => void> {
    const takes = Math.min(options.weight ?? 1, this.most.runningPerKey)
    this.notePresence(keys[0])
    if (this.waiting === 0 && this.mayBegin(keys, takes)) this.take(keys, takes)
    else await this.wait(keys, takes, options)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.giveBack(keys, takes)
    }
  }

  private wait(keys: Keys, weight: number, { onGone, isReturning = false }: Options): Promise<void> {
    const [caller] = keys
    const line = this.callers.get(caller) ?? []
    if (!isReturning && line.length >= this.most.waitingPerCaller) throw this.refusal('ofCaller')
    if (!isReturning && this.waiting >= this.most.waiting && !this.shortenLongest(line.length))
      throw this.refusal('ofAll')
    return new Promise((resolve, reject) => {
      const entry: Waiting = { keys, weight, isReturning, begin: resolve, refuse: reject }
      // Begun work ends before other work of its caller begins: what is half done does not pile up.
      const place = isReturning ? line.findIndex((one) => !one.isReturning) : -1
      line.splice(place < 0 ? line.length : place, 0, entry)
      this.callers.set(caller, line)
      this.waiting++
      onGone?.(() => {
        if (this.drop(caller, entry)) reject(this.refusal('gone'))
      })
      this.beginNext()
    })
  }

  /**
   * Drops an entry of the longest line, when all places are taken, for a caller with a shorter one.
   *
   * @returns whether it did
   */
  private shortenLongest(than: number): boolean {
    let longest: [caller: string, line: Waiting[]] | undefined
    for (const [caller, line] of this.callers)
      if (line.length > (longest?.[1].length ?? than + 1)) longest = [caller, line]
    const last = longest?.[1].findLast(({ isReturning }) => !isReturning)
    if (longest === undefined || last === undefined) return false
    this.drop(longest[0], last)
    last.refuse(this.refusal('ofAll'))
    return true
  }

  private drop(caller: string, entry: Waiting): boolean {
    const line = this.callers.get(caller) ?? []
    const index = line.indexOf(entry)
    if (index < 0) return false
    line.splice(index, 1)
    if (line.length === 0) this.callers.delete(caller)
    this.waiting--
    return true
  }

  /** Puts callers that had a turn last in the next round. Keeps awaited keys free, so that heavy work has a turn. */
  private beginNext(): void {
    const awaited = new Set<string>()
    for (const [caller, line] of this.callers) {
      if (this.running >= this.most.running) return
      const [next] = line
      if (!next) continue
      if (!this.mayBegin(next.keys, next.weight) || next.keys.some((key) => awaited.has(key))) {
        for (const key of next.keys) awaited.add(key)
        continue
      }
      this.drop(caller, next)
      if (line.length > 0) {
        this.callers.delete(caller)
        this.callers.set(caller, line)
      }
      this.take(next.keys, next.weight)
      next.begin()
    }
  }

  private mayBegin(keys: Keys, weight: number): boolean {
    if (this.running >= this.most.running) return false
    const places = this.placesOf(keys[0])
    return keys.every((key) => (this.runningOf.get(key) ?? 0) + Math.min(weight, places) <= places)
  }

  /**
   * A long line costs its caller places while others are there too: they have to wait for the work that it already has.
   */
  private placesOf(caller: string): number {
    const { runningPerKey } = this.most
    if (this.present.size < 2) return runningPerKey
    const less = Math.floor((this.callers.get(caller)?.length ?? 0) / LINE_PER_PLACE)
    return Math.max(1, runningPerKey - less)
  }

  private notePresence(caller: string): void {
    const now = performance.now()
    this.present.delete(caller)
    this.present.set(caller, now)
    for (const [other, cameLast] of this.present) {
      if (now - cameLast < PRESENT_MS) return
      this.present.delete(other)
    }
  }

  private take(keys: Keys, weight: number): void {
    this.running++
    for (const key of keys) this.runningOf.set(key, (this.runningOf.get(key) ?? 0) + weight)
  }

  private giveBack(keys: Keys, weight: number): void {
    this.running--
    for (const key of keys) {
      const left = (this.runningOf.get(key) ?? 0) - weight
      if (left > 0) this.runningOf.set(key, left)
      else this.runningOf.delete(key)
    }
    this.beginNext()
  }
}
