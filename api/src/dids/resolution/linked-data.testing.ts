import { contexts as didContexts } from 'did-context'
import jsonld from 'jsonld'
import { KNOWN_CONTEXTS } from '../../formats/json-ld/contexts/known-contexts.js'

/** What verifying software has built in, and nothing else: no network. */
export async function builtIn(url: string) {
  const document = didContexts.get(url) ?? KNOWN_CONTEXTS.get(url)
  if (document === undefined) throw new Error(`${url} is built in nowhere`)
  return { contextUrl: null, documentUrl: url, document }
}

/** What a DID document says as linked data. Throws where a member is defined by no context that it lists. */
export const expanded = (document: unknown) =>
  jsonld.expand(document, { base: null, documentLoader: builtIn, safe: true })
