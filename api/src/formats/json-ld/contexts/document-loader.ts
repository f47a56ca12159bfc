import { FormatError } from '../../format-error.js'
import type { JsonObject } from '../../json.js'
import { KNOWN_CONTEXTS } from './known-contexts.js'

/** Contexts beyond the known ones, by URL. */
export interface ExtraContext {
  document: JsonObject
  /** True when its processed form is kept for other documents: it never changes, and takes little room. */
  isKept: boolean
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
 * A loader that never waits for anything: it knows what it was given. Of contexts that are tagged `static`, jsonld
 * keeps the processed form, once for each of some contexts that stood before.
 */
export function documentLoader(extra: ExtraContexts): (url: string) => Promise<RemoteDocument> {
  return async (url) => {
    const known = KNOWN_CONTEXTS.get(url)
    if (known) return { contextUrl: null, documentUrl: url, document: known, tag: 'static' }
    const given = extra.get(url)
    if (!given) throw new FormatError('unknown_context', `the context ${url} is not available`)
    const remote: RemoteDocument = { contextUrl: null, documentUrl: url, document: given.document }
    return given.isKept ? { ...remote, tag: 'static' } : remote
  }
}
