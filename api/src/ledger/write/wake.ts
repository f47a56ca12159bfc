type Wake = () => void

let wake: Wake = () => undefined

/** Set once by each process: how a committed job tells the worker. */
export function onWake(run: Wake): void {
  wake = run
}

/** A hint only: the row is the truth, and the worker looks by itself too. */
export function wakeWorker(): void {
  wake()
}
