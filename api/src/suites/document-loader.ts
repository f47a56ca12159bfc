import type { JsonObject } from './json.js'
import { KNOWN_CONTEXTS } from './known-contexts.js'
import { SuiteError } from './suite-error.js'

/** Contexts beyond the known ones, by URL. Ours (of hosted schemas) never change; fetched ones might. */
export interface ExtraContext {
  document: JsonObject
  immutable: boolean
}
export type ExtraContexts = ReadonlyMap<string, ExtraContext>

export const NO_EXTRA_CONTEXTS: ExtraContexts = new Map()

interface RemoteDocument {
  contextUrl: null
  documentUrl: string
  document: JsonObject
  tag?: 'static'
}

/**
 * A loader that never waits for anything: it knows what it was given. Immutable contexts are tagged `static`, so that
 * jsonld keeps their processed form across documents.
 */
export function documentLoader(extra: ExtraContexts): (url: string) => Promise<RemoteDocument> {
  return async (url) => {
    const known = KNOWN_CONTEXTS.get(url)
    if (known) return { contextUrl: null, documentUrl: url, document: known, tag: 'static' }
    const given = extra.get(url)
    if (!given) throw new SuiteError('unknown_context', `the context ${url} is not available`)
    const remote: RemoteDocument = { contextUrl: null, documentUrl: url, document: given.document }
    return given.immutable ? { ...remote, tag: 'static' } : remote
  }
}
