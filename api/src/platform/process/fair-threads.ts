import { Piscina } from 'piscina'
import { FairQueue } from '../http/admission/fair-queue.js'

interface Options {
  /** The URL of the calling module: `import.meta.url`. */
  from: string
  /** The thread's module beside it, without its extension. */
  module: string
  threads: number
  /** Added to that of the process: threads that give way to everything else have more. */
  niceness: number
  /** One that works longer on a task, by the clock, hangs where it cannot be interrupted: it loses its thread. */
  hungMs: number
  /** Of each thread, at most. Default 192. */
  memoryMb?: number
  /** Threads that had nothing to do for so long end. Left out: they stay. */
  idleMs?: number
}

/** Tasks that wait: of all callers, and of one. */
const waiting = { waiting: 512, waitingPerCaller: 128 } as const

/**
 * Why a task has no result: `late` when it hung, `tooLarge` when it took too much memory. The thread is gone and
 * another one takes its place.
 */
export class ThreadLost extends Error {
  constructor(readonly why: 'late' | 'tooLarge') {
    super(`A thread was lost: ${why}`)
  }
}

/** Threads for work that strangers can make large, in fair shares between those who ask for it. */
export class FairThreads<Task, Result> {
  private pool: Piscina<unknown, Result> | undefined
  private readonly queue: FairQueue

  constructor(private readonly options: Options) {
    this.queue = new FairQueue({ running: options.threads, ...waiting })
  }

  /**
   * Asks a thread, once or more, when the caller has its turn.
   * @throws 429 when too many tasks of the caller wait, 503 when too many of all do; `ask` throws `ThreadLost`
   */
  run<T>(caller: string, use: (ask: (task: Task) => Promise<Result>) => Promise<T>): Promise<T> {
    return this.queue.run(caller, () => use((task) => this.ask(task)))
  }

  /** Starts the threads, which takes them some time, before anybody waits for them. */
  start(): Piscina<unknown, Result> {
    this.pool ??= openPool(this.options)
    return this.pool
  }

  async close(): Promise<void> {
    await this.pool?.destroy()
  }

  private async ask(task: Task): Promise<Result> {
    const pool = this.start()
    // The time that a thread takes to start is not the task's.
    await pool.run(undefined, { filename: READY })
    const hung = new AbortController()
    const timer = setTimeout(() => hung.abort(), this.options.hungMs)
    try {
      return await pool.run(task, { signal: hung.signal })
    } catch (error) {
      if (hung.signal.aborted) throw new ThreadLost('late')
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadLost('tooLarge')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Under vitest the sources run as they are, a thread does not: there the compiled one is taken. */
const compiled = (module: string, from: string): string =>
  new URL(`${module}.js`, from.replace('/api/src/', '/api/dist/')).href

const READY = compiled('./ready.worker', import.meta.url)

function openPool<Result>({
  from,
  module,
  threads,
  niceness,
  memoryMb = 192,
  idleMs,
}: Options): Piscina<unknown, Result> {
  const pool = new Piscina<unknown, Result>({
    filename: compiled(module, from),
    ...(idleMs === undefined ? { minThreads: threads } : { minThreads: 0, idleTimeout: idleMs }),
    maxThreads: threads,
    niceIncrement: niceness,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    // Threads that wait actively keep a processor busy.
    atomics: 'disabled',
    recordTiming: false,
  })
  // The caller that waits for the task gets the error.
  pool.on('error', () => undefined)
  return pool
}
