import { contexts as didContexts } from 'did-context'
import jsonld from 'jsonld'
import { KNOWN_CONTEXTS } from '../../formats/json-ld/contexts/known-contexts.js'

/** Loads only contexts that verifying software has built in: no network. */
export async function builtIn(url: string) {
  const document = didContexts.get(url) ?? KNOWN_CONTEXTS.get(url)
  if (document === undefined) throw new Error(`${url} is built in nowhere`)
  return { contextUrl: null, documentUrl: url, document }
}

/** Expands a DID document as linked data. Throws where no context that it lists defines a member. */
export const expanded = (document: unknown) =>
  jsonld.expand(document, { base: null, documentLoader: builtIn, safe: true })
