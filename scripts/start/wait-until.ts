import { setTimeout as pause } from 'node:timers/promises'

/** Asks again and again until something is so; false when the time is over. */
export async function waitUntil(
  isSo: () => Promise<boolean>,
  { withinMs, everyMs }: { withinMs: number; everyMs: number },
): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > deadline) return false
    await pause(everyMs)
  }
  return true
}
