import { availableParallelism } from 'node:os'
import { FairThreads } from '../../../platform/process/fair-threads.js'
import { FormatError } from '../../format-error.js'
import type { SignatureTask } from './verify.worker.js'

/** Checks of signatures by keys of Baby Jubjub in threads, for one caller. Throws 429 and 503 when too much waits. */
export interface BabyJubJubWork {
  /**
   * Tells whether a key made this signature (64 bytes) over a field element (32 bytes, little-endian).
   * @throws FormatError
   */
  isSignature(publicKey: Uint8Array, element: Uint8Array, signature: Uint8Array): Promise<boolean>
}

export interface BabyJubJubThreads {
  /** @param caller the owner of the work; callers take turns */
  of(caller: string): BabyJubJubWork
  close(): Promise<void>
}

declare module '../../../platform/http/context.js' {
  interface ContextServices {
    readonly babyJubJubThreads: BabyJubJubThreads
  }
}

/** A check takes a tenth of a second, on a busy machine some times as long. */
const HUNG_MS = 10_000
const IDLE_MS = 300_000
const MOST_THREADS = 4

export function openBabyJubJubThreads(hungMs = HUNG_MS): BabyJubJubThreads {
  const threads = new FairThreads<SignatureTask, boolean>({
    from: import.meta.url,
    module: './verify.worker',
    threads: Math.min(MOST_THREADS, availableParallelism()),
    niceness: 10,
    hungMs,
    idleMs: IDLE_MS,
  })
  return {
    of: (caller) => ({
      isSignature: (publicKey, element, signature) =>
        threads.once(
          caller,
          { publicKey, element, signature },
          () => new FormatError('unavailable', 'its proof takes too much time'),
        ),
    }),
    close: () => threads.close(),
  }
}
