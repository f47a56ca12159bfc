import { once } from 'node:events'
import { setTimeout as passed } from 'node:timers/promises'
import { Refusal } from '../start/refusal.js'

const controller = new AbortController()

/** Ends what a trial waits for, so that it takes back what it began and removes what it made. */
export const interruption: AbortSignal = controller.signal

const interrupted: Promise<never> = once(interruption, 'abort').then(() => {
  throw interruption.reason
})
// A failure is told to those alone who wait for something.
interrupted.catch(() => {})

/** Waits for something that takes no signal, or until a person interrupts the command, which throws. */
export const unlessInterrupted = <T>(work: Promise<T>): Promise<T> => Promise.race([work, interrupted])

/** Waits for some time, or until a person interrupts the command, which throws. */
export async function pause(milliseconds: number): Promise<void> {
  await passed(milliseconds, undefined, { signal: interruption }).catch((error) => {
    interruption.throwIfAborted()
    throw error
  })
}

/**
 * Lets a first Ctrl-C, or a request to end, interrupt the waiting of this command, wherever it is; a second one ends it at
 * once. Commands other than a trial need none of this: what they started runs on, and is found by `status` and `stop`.
 */
export function endOnSignals(tell: (line: string) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      tell('Interrupted: the trial ends its network, and removes what it made.')
      controller.abort(new Refusal('The trial was interrupted.'))
    })
}
