import { availableParallelism } from 'node:os'
import { FairThreads } from '../../platform/process/fair-threads.js'
import { FormatError } from '../format-error.js'
import type { JsonObject } from '../json.js'
import type { BbsResult, BbsTask } from './bbs.worker.js'
import type { PublicScheme } from './library.js'

/** The work with credentials of the BBS family in threads, for one caller. All throw 429 and 503 when too much waits. */
export interface BbsWork {
  /** Returns the field elements that stand for a credential in its signed form. @throws FormatError */
  messages(signed: JsonObject): Promise<Uint8Array[]>
  /** Tells whether a public key made this signature over a credential in its signed form. */
  isSignature(scheme: PublicScheme, signed: JsonObject, signature: Uint8Array, publicKey: Uint8Array): Promise<boolean>
  /** Tells whether a public key made a signature over these texts (BBS+ as in BbsBlsSignature2020). */
  isSignature2020(messages: readonly string[], signature: Uint8Array, publicKey: Uint8Array): Promise<boolean>
  /**
   * Checks everything of a presentation that needs no private key.
   * @param publicKeys of its credentials; null where only the private half can check
   * @param accumulatorKeys public keys of the accumulators of their statuses; null where one has none
   * @returns the proofs for private keys, by the places of their credentials; undefined: the presentation is not right
   */
  keyedProofs(
    presentation: JsonObject,
    publicKeys: readonly (Uint8Array | null)[],
    accumulatorKeys: readonly (Uint8Array | null)[],
  ): Promise<readonly (Uint8Array | null)[] | undefined>
}

export interface BbsThreads {
  /** @param caller the owner of the work; callers take turns */
  of(caller: string): BbsWork
  close(): Promise<void>
}

declare module '../../platform/http/context.js' {
  interface ContextServices {
    readonly bbsThreads: BbsThreads
  }
}

/** Presentations within the limits take half a second at most, on a busy machine some times as long. */
const HUNG_MS = 10_000
const IDLE_MS = 300_000
/** The most threads, which have 100 MB each. */
const MOST_THREADS = 4

export function openBbsThreads(hungMs = HUNG_MS): BbsThreads {
  const threads = new FairThreads<BbsTask, BbsResult>({
    from: import.meta.url,
    module: './bbs.worker',
    threads: Math.min(MOST_THREADS, availableParallelism()),
    niceness: 10,
    hungMs,
    idleMs: IDLE_MS,
  })
  const ask = (caller: string, task: BbsTask): Promise<BbsResult> =>
    threads.once(caller, task, () => new FormatError('unavailable', 'its proof takes too much time'))
  return {
    of: (caller) => ({
      async messages(signed) {
        const result = await ask(caller, { what: 'messages', signed: JSON.stringify(signed) })
        if ('messages' in result) return result.messages
        throw new FormatError('malformed', 'its members cannot be turned into messages')
      },
      async isSignature(scheme, signed, signature, publicKey) {
        const task = { what: 'signature', scheme, signed: JSON.stringify(signed), signature, publicKey } as const
        const result = await ask(caller, task)
        return 'isRight' in result && result.isRight
      },
      async isSignature2020(messages, signature, publicKey) {
        const result = await ask(caller, { what: 'signature2020', messages, signature, publicKey })
        return 'isRight' in result && result.isRight
      },
      async keyedProofs(given, publicKeys, accumulatorKeys) {
        const presentation = JSON.stringify(given)
        const task = { what: 'presentation', presentation, publicKeys, accumulatorKeys } as const
        const result = await ask(caller, task)
        return 'keyedProofs' in result ? result.keyedProofs : undefined
      },
    }),
    close: () => threads.close(),
  }
}
