import { createHash } from 'node:crypto'
import type { FormatTools, HashOf } from '../../formats/credential-format.js'
import { FormatError } from '../../formats/format-error.js'
import { ContextBudget } from '../../formats/json-ld/contexts/context-budget.js'
import type { Context } from '../../platform/http/context.js'
import { contextsOf, type Documents } from './hosted.js'

/**
 * The small documents that are done at once: a credential and its proof, a status list and its proof. A thread does the
 * rest of a presentation.
 */
const DONE_AT_ONCE = 4

type Serving = Pick<Context, 'babyJubJubThreads' | 'bbsThreads' | 'canonicalHashes' | 'random' | 'team'>

/**
 * Returns the tools of formats for one request of a team. A canonical form fails when a context cannot be loaded, and
 * is made once for each document.
 */
export function documentTools(
  { babyJubJubThreads, bbsThreads, canonicalHashes, random, team }: Serving,
  documents: Documents,
): FormatTools {
  const budget = new ContextBudget()
  const allowance = { left: DONE_AT_ONCE }
  const once = oncePerText()
  return {
    random: (length) => random.bytes(length),
    bbs: bbsThreads.of(`team ${team}`),
    babyJubJub: babyJubJubThreads.of(`team ${team}`),
    async hashWith(named) {
      try {
        const { contexts, missing } = await contextsOf(documents, ...named)
        const [first] = missing
        if (first === undefined)
          return once(budget.bounded(canonicalHashes.of(`team ${team}`, contexts, allowance), contexts))
        const [url, reason] = first
        throw new FormatError('unknown_context', `the context ${url.slice(0, 200)} is not available: ${reason}`)
      } catch (error) {
        if (error instanceof FormatError) return () => Promise.reject(error)
        throw error
      }
    },
  }
}

/** Makes functions that share their answers. */
function oncePerText(): (hash: HashOf) => HashOf {
  const known = new Map<string, Promise<Uint8Array>>()
  return (hash) => (document) => {
    const key = createHash('sha256').update(JSON.stringify(document)).digest('base64')
    const answer = known.get(key) ?? hash(document)
    known.set(key, answer)
    return answer
  }
}
