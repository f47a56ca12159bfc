/**
 * A step that runs again and again while it has something to do, then sleeps until it is woken. It never runs twice at
 * once.
 */
export interface Loop {
  /** Runs the step soon; one that is running is followed by another. */
  wake(): void
  /** Resolves when the step at hand has ended; none begins after. */
  stop(): Promise<void>
}

export interface LoopOptions {
  /** Receives the error of a failed step; the next one comes after a pause. */
  onError(error: unknown): void
  /** The time without a step after which one runs by itself, or up to a quarter more; undefined: none does. */
  everyMs?: number
}

const PAUSE_AFTER_ERROR_MS = 500

/** @param step resolves to true while there is more to do */
export function startLoop(step: () => Promise<boolean>, { onError, everyMs }: LoopOptions): Loop {
  let isStopped = false
  /** True where somebody woke it since the present step began. */
  let isWoken: boolean
  let running: Promise<void> | undefined
  let pause: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined

  /** Loops that began together do not look together. */
  function pollLater() {
    clearTimeout(poll)
    if (everyMs !== undefined && !isStopped) poll = setTimeout(wake, everyMs * (1 + Math.random() / 4))
  }

  async function run() {
    while (isWoken && !isStopped) {
      isWoken = false
      try {
        while (!isStopped && (await step())) isWoken = false
      } catch (error) {
        onError(error)
        clearTimeout(pause)
        pause = setTimeout(wake, PAUSE_AFTER_ERROR_MS)
      }
    }
    running = undefined
    pollLater()
  }

  function wake() {
    isWoken = true
    if (running === undefined && !isStopped) running = run()
  }

  pollLater()
  return {
    wake,
    async stop() {
      isStopped = true
      clearTimeout(pause)
      clearTimeout(poll)
      await running
    },
  }
}
