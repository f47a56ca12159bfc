import { Piscina } from 'piscina'
import { FairQueue } from './fair-queue.js'
import { type Beginning, hasBegun, noBeginning, runTimeSince } from './run-time.js'
import type { TimedTask } from './timed.worker.js'

interface Options {
  /** The URL of the calling module: `import.meta.url`. */
  from: string
  /** The thread's module beside it, without its extension. */
  module: string
  /** With more than one, a caller leaves one of them to others: nothing interrupts a task that it has begun. */
  threads: number
  /** A number that is added to the niceness of the process: threads that give way to everything else have more. */
  niceness: number
  /**
   * The run time, see `runTime`, after which a thread on one task counts as hanging, where it cannot be interrupted, and
   * is lost. What else the machine does is not counted.
   */
  hungMs: number
  /** The memory of each thread, at most. Default 192. */
  memoryMb?: number
  /** The time after which idle threads end. Default: a thread that was needed once stays. */
  idleMs?: number
}

/** The most tasks that wait: of all callers, and of one. */
const waiting = { waiting: 512, waitingPerCaller: 128 } as const

/** The time, by the clock, after which a thread is lost that waits for something else than a processor. */
const STUCK_MS = 600_000
/** The least time between two looks at a thread. */
const LOOK_MS = 50

/**
 * A task's thread was lost: `late` when it hung, `tooLarge` when it took too much memory. The next task that needs one
 * starts another.
 */
export class ThreadLost extends Error {
  constructor(readonly why: 'late' | 'tooLarge') {
    super(`A thread was lost: ${why}`)
  }
}

/** Threads for work that strangers can make large, in fair shares between those who ask for it. */
export class FairThreads<Task, Result> {
  private pool: Piscina<unknown, Result> | undefined
  /** The tasks that were asked for and not answered, by their ends, whose reason is the error that is told. */
  private readonly ends = new Map<AbortController, Beginning>()
  private readonly queue: FairQueue

  constructor(private readonly options: Options) {
    const { threads } = options
    this.queue = new FairQueue({ running: threads, runningPerKey: Math.max(1, threads - 1), ...waiting })
  }

  /**
   * Asks a thread, once or more, when the caller has its turn.
   * @throws 429 when too many tasks of the caller wait, 503 when too many of all do; `ask` throws `ThreadLost`
   */
  run<T>(caller: string, use: (ask: (task: Task) => Promise<Result>) => Promise<T>): Promise<T> {
    return this.queue.run(caller, () => use((task) => this.ask(task)))
  }

  /**
   * Asks a thread once.
   * @param lost makes the error that the caller is told when the thread was lost
   * @throws 429 and 503 like `run`
   */
  async once(caller: string, task: Task, lost: (error: ThreadLost) => Error): Promise<Result> {
    try {
      return await this.run(caller, (ask) => ask(task))
    } catch (error) {
      throw error instanceof ThreadLost ? lost(error) : error
    }
  }

  async close(): Promise<void> {
    await this.pool?.destroy()
  }

  private async ask(task: Task): Promise<Result> {
    this.pool ??= openPool(this.options, (error) => this.failUnbegun(error))
    const { module, from, hungMs } = this.options
    const timed: TimedTask = { module: compiled(module, from), task, beginning: noBeginning() }
    const end = new AbortController()
    this.ends.set(end, timed.beginning)
    const stopWatching = watch(timed.beginning, hungMs, () => end.abort(new ThreadLost('late')))
    try {
      return await this.pool.run(timed, { filename: TIMED, signal: end.signal })
    } catch (error) {
      if (end.signal.aborted) throw end.signal.reason
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadLost('tooLarge')
      throw error
    } finally {
      stopWatching()
      this.ends.delete(end)
    }
  }

  /** Ends what waits for a thread when one could not start: no other would come for it. */
  private failUnbegun(failure: Error): void {
    for (const [end, beginning] of this.ends) if (!hasBegun(beginning)) end.abort(failure)
  }
}

/** Looks at the thread of a task until it has had its time, which begins when the task does. */
function watch(beginning: Beginning, hungMs: number, lose: () => void): () => void {
  const asked = performance.now()
  const look = (): void => {
    const clockMs = performance.now() - asked
    const left = hungMs - runTimeSince(beginning)
    if (left <= 0 || clockMs >= STUCK_MS) lose()
    else timer = setTimeout(look, Math.max(left, LOOK_MS))
  }
  let timer = setTimeout(look, hungMs)
  return () => clearTimeout(timer)
}

/** The sources run as they are under vitest, except in a thread: there the compiled module is taken. */
const compiled = (module: string, from: string): string =>
  new URL(`${module}.js`, from.replace('/api/src/', '/api/dist/')).href

const TIMED = compiled('./timed.worker', import.meta.url)

function openPool<Result>(
  { threads, niceness, memoryMb = 192, idleMs = Number.POSITIVE_INFINITY }: Options,
  onFailure: (error: Error) => void,
): Piscina<unknown, Result> {
  // A thread names no file: one that cannot be loaded is the error of the task that needs it.
  const pool = new Piscina<unknown, Result>({
    // A process that has just started has other work than the loading of threads that nobody needs yet.
    minThreads: 0,
    idleTimeout: idleMs,
    maxThreads: threads,
    niceIncrement: niceness,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    // The value makes threads sleep while they wait: an active wait keeps a processor busy.
    atomics: 'disabled',
    recordTiming: false,
  })
  // The error of a thread that has a task is that task's, and does not come here.
  pool.on('error', onFailure)
  return pool
}
