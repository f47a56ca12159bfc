import { expect, onTestFinished, test } from 'vitest'
import { FairThreads } from './fair-threads.js'

function threadsOf(module: string, memoryMb?: number) {
  const options = { from: import.meta.url, module, threads: 1, niceness: 0, hungMs: 60_000 }
  const threads = new FairThreads<unknown, unknown>({ ...options, ...(memoryMb !== undefined && { memoryMb }) })
  onTestFinished(() => threads.close())
  return threads
}
const lost = (error: Error) => error

test('a module that cannot be loaded is the error of its task, and of the next one', async () => {
  const threads = threadsOf('./no-such-file.worker')
  for (const caller of ['a', 'b']) await expect(threads.once(caller, {}, lost)).rejects.toThrow(/no-such-file/)
})

test('a thread that cannot start is the error of its task, and of the next one', async () => {
  const threads = threadsOf('./timed.worker', 1)
  for (const caller of ['a', 'b']) await expect(threads.once(caller, {}, lost)).rejects.toThrow(/memory/)
})
