import { invalid } from '../errors.js'
import { FairThreads } from './fair-threads.js'
import { type ToldRefusal, unlessRefused } from './told-refusal.js'

interface Options {
  /** The URL of the calling module: `import.meta.url`. */
  from: string
  /** The thread's module beside it, without its extension. */
  module: string
  /** The time after which the rows of one request take too long. */
  hungMs: number
}

/** A thread that reads the thousands of rows of a request, away from the one that serves all requests. */
export class RowThreads<Task, Result extends object> {
  private readonly threads: FairThreads<Task, Result | ToldRefusal>

  constructor(options: Options) {
    this.threads = new FairThreads({ ...options, threads: 1, niceness: 10, memoryMb: 512, idleMs: 60_000 })
  }

  /** @throws what the thread refuses (`tellRefusal`); 429 or 503 when too many requests wait */
  async read(caller: string, task: Task): Promise<Result> {
    const tooMuch = () => invalid('The rows take too much to read: send fewer of them at once')
    return unlessRefused(await this.threads.once(caller, task, tooMuch))
  }

  close(): Promise<void> {
    return this.threads.close()
  }
}
