import { tooManyAtOnce } from './errors.js'

interface Bounds {
  running: number
  waiting: number
}

/** Work of one kind in this process: so many at once, so many behind them in their order, and no more than that. */
export class BoundedQueue {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly most: Bounds) {}

  /** @throws 503 `unavailable` with Retry-After when there is no place to wait either */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter()
    try {
      return await work()
    } finally {
      this.leave()
    }
  }

  private async enter(): Promise<void> {
    if (this.running < this.most.running) {
      this.running++
      return
    }
    if (this.waiting.length >= this.most.waiting) throw tooManyAtOnce()
    await new Promise<void>((resolve) => this.waiting.push(resolve))
  }

  /** Whoever waited longest takes the place; nobody can come between. */
  private leave(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.running--
  }
}
