/**
 * Runs `step` again and again while it has something to do, then sleeps until somebody wakes it. Never twice at once.
 */
export interface Loop {
  wake(): void
  /** Resolves when the step at hand has ended; none begins after. */
  stop(): Promise<void>
}

const pauseAfterErrorMs = 500

export function startLoop(step: () => Promise<boolean>, onError: (error: unknown) => void): Loop {
  let isStopped = false
  let isWoken = false
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function run() {
    while (isWoken && !isStopped) {
      isWoken = false
      try {
        while (!isStopped && (await step())) isWoken = false
      } catch (error) {
        onError(error)
        clearTimeout(timer)
        timer = setTimeout(wake, pauseAfterErrorMs)
      }
    }
    running = undefined
  }

  function wake() {
    isWoken = true
    if (running === undefined && !isStopped) running = run()
  }

  return {
    wake,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
