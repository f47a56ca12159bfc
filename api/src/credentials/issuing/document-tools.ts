import { createHash } from 'node:crypto'
import type { FormatTools, HashOf } from '../../formats/credential-format.js'
import { FormatError } from '../../formats/format-error.js'
import type { Json, JsonObject } from '../../formats/json.js'
import { ContextBudget } from '../../formats/json-ld/contexts/context-budget.js'
import type { ExtraContexts } from '../../formats/json-ld/contexts/document-loader.js'
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
  const extraContexts = async (named: readonly (Json | undefined)[]): Promise<ExtraContexts> => {
    const { contexts, missing } = await contextsOf(documents, ...named)
    const [first] = missing
    if (first === undefined) return contexts
    const [url, reason] = first
    throw new FormatError('unknown_context', `the context ${url.slice(0, 200)} is not available: ${reason}`)
  }
  const caller = `team ${team}`
  return {
    random: (length) => random.bytes(length),
    bbs: bbsThreads.of(caller),
    babyJubJub: babyJubJubThreads.of(caller),
    hashWith: (named) =>
      orFailing(async () => {
        const contexts = await extraContexts(named)
        return once(budget.bounded(canonicalHashes.of(caller, contexts, allowance), contexts))
      }),
    canonicalWith: (named) =>
      orFailing(async () => {
        const contexts = await extraContexts(named)
        return budget.bounded(canonicalHashes.texts(caller, contexts), contexts)
      }),
  }
}

/** A function that fails for every document, where its making fails. */
async function orFailing<Result>(
  make: () => Promise<(document: JsonObject) => Promise<Result>>,
): Promise<(document: JsonObject) => Promise<Result>> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof FormatError) return () => Promise.reject(error)
    throw error
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
