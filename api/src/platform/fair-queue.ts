import { tooManyAtOnce } from './errors.js'

interface Bounds {
  running: number
  waiting: number
}

interface Waiting {
  begin(): void
  refuse(error: Error): void
}

/**
 * Work of one kind in this process, in fair shares: so many at once, and of those who wait each gets the next place in turn,
 * however much the others ask for. When all places for waiting are taken, whoever has most of them gives the newest one up.
 */
export class FairQueue {
  private running = 0
  private waiting = 0
  /** In the order of their turns. */
  private readonly shares = new Map<string, Waiting[]>()

  constructor(private readonly most: Bounds) {}

  /**
   * @param share whose work it is
   * @throws 503 `unavailable` with Retry-After when there is no place to wait either
   */
  async run<T>(share: string, work: () => Promise<T>): Promise<T> {
    if (this.running < this.most.running) this.running++
    else await this.wait(share)
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  private wait(share: string): Promise<void> {
    const own = this.shares.get(share) ?? []
    if (this.waiting >= this.most.waiting) this.makePlace(own.length)
    return new Promise((begin, refuse) => {
      this.shares.set(share, own)
      own.push({ begin, refuse })
      this.waiting++
    })
  }

  private makePlace(own: number): void {
    const longest = [...this.shares.values()].reduce((most, one) => (one.length > most.length ? one : most), [])
    if (longest.length <= own + 1) throw tooManyAtOnce()
    longest.pop()?.refuse(tooManyAtOnce())
    this.waiting--
  }

  /** Whose turn it was goes behind the others; nobody can come between. */
  private leave(): void {
    const [turn] = this.shares
    if (turn === undefined) {
      this.running--
      return
    }
    const [share, queue] = turn
    const next = queue.shift()
    this.shares.delete(share)
    if (queue.length > 0) this.shares.set(share, queue)
    this.waiting--
    next?.begin()
  }
}
