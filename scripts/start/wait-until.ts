import { setTimeout as pause } from 'node:timers/promises'

/**
 * Asks again and again until something is so; false when the time is over.
 *
 * @param signal ends the waiting: then its reason is thrown
 */
export async function waitUntil(
  isSo: () => Promise<boolean>,
  { withinMs, everyMs, signal }: { withinMs: number; everyMs: number; signal?: AbortSignal },
): Promise<boolean> {
  const deadline = Date.now() + withinMs
  for (;;) {
    signal?.throwIfAborted()
    if (await isSo()) return true
    if (Date.now() > deadline) return false
    await pause(everyMs)
  }
}
