import { messageOf, Refusal } from '../start/refusal.js'

type Tell = (line: string) => void

const toTheTerminal: Tell = (line) => console.error(line)

/**
 * Does some work, and takes back what it began where it fails. The work's error is what a person looks for: an error of
 * taking back is told beside it.
 */
export async function orTakeBack<T>(
  work: () => Promise<T>,
  takeBack: () => Promise<unknown>,
  tell = toTheTerminal,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await takeBack().catch((left) => {
      // An interruption ends both with the same one.
      if (left !== error) tell(messageOf(left))
    })
    throw error
  }
}

/** Does some work and cleans up behind it. Throws what cleaning up throws, unless the work failed: then it is told. */
export async function withCleanUp<T>(
  work: () => Promise<T>,
  cleanUp: () => Promise<unknown>,
  tell = toTheTerminal,
): Promise<T> {
  const done = await orTakeBack(work, cleanUp, tell)
  await cleanUp()
  return done
}

/** Waits until every work has ended; throws then what failed: one error as it is, several in one sentence after the other. */
export async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(works)
  const errors = [...new Set(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])))]
  if (errors.length > 1) throw new Refusal(errors.map(messageOf).join('\n'))
  if (errors.length > 0) throw errors[0]
}
