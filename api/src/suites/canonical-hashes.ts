import { availableParallelism } from 'node:os'
import { FairThreads, ThreadLost } from '../platform/fair-threads.js'
import type { HashResult, HashTask } from './canonical-hash.worker.js'
import type { HashOf } from './canonize.js'
import type { ExtraContexts } from './document-loader.js'
import { SuiteError } from './suite-error.js'

/** Bytes; a document of so many waits among the large ones, behind none of which a small one waits. */
const LARGE = 16_384

/** Brings documents into their canonical form, away from the thread that serves requests. */
export interface CanonicalHashes {
  /**
   * @param caller whose work it is; callers take turns
   * @returns throws SuiteError, 429 when too much of the caller waits, 503 when too much of all does
   */
  of(caller: string, contexts: ExtraContexts): HashOf
  /** Makes the first one as quick as the next. */
  start(): void
  close(): Promise<void>
}

declare module '../platform/context.js' {
  interface ContextServices {
    readonly canonicalHashes: CanonicalHashes
  }
}

export function openCanonicalHashes(): CanonicalHashes {
  const lane = (threads: number, niceness: number) =>
    new FairThreads<HashTask, HashResult>({
      from: import.meta.url,
      module: './canonical-hash.worker',
      threads,
      niceness,
      hungMs: 30_000,
    })
  const small = lane(Math.max(1, Math.floor(availableParallelism() / 2)), 0)
  const large = lane(1, 5)
  return {
    of: (caller, contexts) => async (document) => {
      const text = JSON.stringify(document)
      const task = { document: text, contexts: [...contexts] }
      const result = await (text.length < LARGE ? small : large)
        .run(caller, (ask) => ask(task))
        .catch((error: unknown) => {
          throw error instanceof ThreadLost ? tooMuch(error) : error
        })
      if ('hash' in result) return result.hash
      throw new SuiteError(result.code, result.message)
    },
    start() {
      small.start()
      large.start()
    },
    async close() {
      await Promise.all([small.close(), large.close()])
    },
  }
}

const tooMuch = ({ why }: ThreadLost): SuiteError =>
  new SuiteError('too_large', `its canonical form takes too much ${why === 'late' ? 'time' : 'memory'}`)
