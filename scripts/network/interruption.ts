import { Refusal } from '../start/refusal.js'

const controller = new AbortController()

/** Ends what a trial waits for, so that it takes back what it began and removes what it made. */
export const interruption: AbortSignal = controller.signal

/**
 * Lets a first Ctrl-C, or a request to end, interrupt the waiting of this command; a second one ends it at once. Commands
 * other than a trial need none of this: what they started runs on, and is found by `status` and `stop`.
 */
export function endOnSignals(tell: (line: string) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      tell('Interrupted: the trial ends its network, and removes what it made.')
      controller.abort(new Refusal('The trial was interrupted.'))
    })
}
