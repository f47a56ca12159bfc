import { messageOf } from './refusal.js'

/** Ends a command with the exit code that `run` returns, or with a sentence and 1. */
export async function endWith(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run()
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
