import { once } from 'node:events'
import { constants } from 'node:os'
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

/** One Ctrl-C arrives twice where the terminal signals this process and npm passes its own signal on to it. */
const REPEATED_WITHIN_MS = 1_000

/**
 * Lets a first Ctrl-C, or a request to end, interrupt the waiting of this command, wherever it is; one that comes a second
 * or more later ends it at once. Commands other than a trial need none of this: what they started runs on, and is found by
 * `status` and `stop`.
 */
export function endOnSignals(tell: (line: string) => void): void {
  let first: number | undefined
  const hear = (signal: 'SIGINT' | 'SIGTERM') => {
    if (first !== undefined && performance.now() - first < REPEATED_WITHIN_MS) return
    if (first !== undefined) process.exit(128 + constants.signals[signal])
    first = performance.now()
    tell('Interrupted: the trial ends its network, and removes what it made.')
    controller.abort(new Refusal('The trial was interrupted.'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, hear)
}
