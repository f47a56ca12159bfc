import type { TestStack } from './stack.js'

/** `npm run soak` gives its long tests more time. */
export const PATIENCE_MS = Number(process.env.TEST_TIMEOUT_MS ?? 150_000)

export async function until(what: string, holds: () => Promise<boolean> | boolean, everyMs = 200): Promise<void> {
  const pause = () => new Promise((next) => setTimeout(next, everyMs))
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause()) if (await holds()) return
  throw new Error(`waited in vain until ${what}`)
}

/** Asks again until there is an answer, as a client does whose service is away for a moment. */
export async function persistently<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  let answer: T | undefined
  await until('a request is answered', async () => {
    answer = await attempt().catch(() => undefined)
    return answer !== undefined
  })
  if (answer === undefined) throw new Error('there was no answer')
  return answer
}

/** Kills processes of a stack; returns when others stand in their places. */
export async function killed(
  stack: TestStack,
  names: readonly string[],
  then: () => Promise<void> = async () => undefined,
): Promise<void> {
  const before = await Promise.all(names.map((name) => runningPid(stack, name)))
  for (const pid of before) process.kill(pid, 'SIGKILL')
  await then()
  await until(`${names} are back`, () => {
    const now = names.map((name) => stack.pids()[name])
    return now.every((pid, index) => pid !== undefined && pid !== before[index])
  })
}

/**
 * Returns the id of a process that runs now: one that is just starting again has none, and 0 would stand for everybody
 * who runs the tests.
 */
export async function runningPid(stack: TestStack, name: string): Promise<number> {
  await until(`${name} runs`, () => stack.pids()[name] !== undefined)
  const pid = stack.pids()[name]
  if (pid === undefined) throw new Error(`${name} does not run`)
  return pid
}
