import { Refusal } from '../../start/refusal.js'
import { waitUntil } from '../../start/wait-until.js'

const ASK_EVERY_MS = 200

/** Waits until something is so. A question that fails is asked again. */
export async function until(what: string, isSo: () => Promise<boolean>, withinMs = 600_000): Promise<void> {
  const ask = () => isSo().catch(() => false)
  if (!(await waitUntil(ask, { withinMs, everyMs: ASK_EVERY_MS })))
    throw new Refusal(`Waited ${withinMs / 1000} s in vain until ${what}.`)
}

/** Returns how long some work took, in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<string> {
  const begun = Date.now()
  await work()
  return ((Date.now() - begun) / 1000).toFixed(1)
}
