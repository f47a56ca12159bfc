import { availableParallelism } from 'node:os'
import { FairThreads, type ThreadLost } from '../../../platform/process/fair-threads.js'
import type { CanonicalOf, HashOf } from '../../credential-format.js'
import { FormatError } from '../../format-error.js'
import type { JsonObject } from '../../json.js'
import type { ExtraContext, ExtraContexts } from '../contexts/document-loader.js'
import { LARGE_KNOWN_CONTEXTS } from '../contexts/known-contexts.js'
import { countNameless } from '../limits.js'
import type { HashResult, HashTask } from './canonical-hash.worker.js'
import { hashHere, sha256 } from './canonize.js'

/** Documents up to this size take some milliseconds at most and are done at once: a thread would cost a fifth more. */
const SMALL = { bytes: 8192, nameless: 20 } as const

/** The small documents that may still be done at once: hundreds of them would take seconds. */
export interface Allowance {
  left: number
}

/** Brings documents into their canonical form; large ones away from the thread that serves requests. */
export interface CanonicalHashes {
  /**
   * @param caller the owner of the work; callers take turns
   * @param allowance of the request; left out: it has few documents
   * @returns a function that throws FormatError, 429 when too much of the caller waits, 503 when too much of all does
   */
  of(caller: string, contexts: ExtraContexts, allowance?: Allowance): HashOf
  /** Returns a function that gives the canonical forms themselves, likewise. */
  texts(caller: string, contexts: ExtraContexts): CanonicalOf
  close(): Promise<void>
}

declare module '../../../platform/http/context.js' {
  interface ContextServices {
    readonly canonicalHashes: CanonicalHashes
  }
}

/** The longest that one document may occupy a thread; documents within the limits take a fraction of it. */
const HUNG_MS = 2_000

export function openCanonicalHashes(hungMs = HUNG_MS): CanonicalHashes {
  const threads = new FairThreads<HashTask, HashResult>({
    from: import.meta.url,
    module: './canonical-hash.worker',
    threads: Math.max(2, availableParallelism() - 1),
    niceness: 10,
    hungMs,
  })
  async function inThread(caller: string, task: HashTask) {
    const result = await threads.once(caller, task, tooMuch)
    if ('code' in result) throw new FormatError(result.code, result.message)
    return result
  }

  return {
    of: (caller, contexts, allowance) => async (document) => {
      const text = JSON.stringify(document)
      const isQuick = isSmall(text, contexts) && countNameless(document) <= SMALL.nameless
      if (isQuick && (allowance === undefined || allowance.left-- > 0)) return hashHere(contexts)(document)
      const result = await inThread(caller, { document: text, contexts: [...contexts].map(asTask), isText: false })
      return 'hash' in result ? result.hash : sha256(result.text)
    },
    texts: (caller, contexts) => async (document) => {
      const task = { document: JSON.stringify(document), contexts: [...contexts].map(asTask), isText: true }
      const result = await inThread(caller, task)
      return 'text' in result ? result.text : ''
    },
    close: () => threads.close(),
  }
}

/** A short document may name long contexts. */
const isSmall = (text: string, contexts: ExtraContexts): boolean =>
  text.length <= SMALL.bytes &&
  [...contexts.values()].every(({ isKept }) => isKept) &&
  !LARGE_KNOWN_CONTEXTS.some((url) => text.includes(`"${url}"`))

/** The text of each context, for as long as it is kept. */
const texts = new WeakMap<JsonObject, string>()

function asTask([url, { document, isKept }]: [string, ExtraContext]): HashTask['contexts'][number] {
  const text = texts.get(document) ?? JSON.stringify(document)
  texts.set(document, text)
  return [url, text, isKept]
}

/** The time that it takes depends on what else this machine does. */
const tooMuch = ({ why }: ThreadLost): FormatError =>
  why === 'late'
    ? new FormatError('unavailable', 'its canonical form takes too much time')
    : new FormatError('too_large', 'its canonical form takes too much memory')
