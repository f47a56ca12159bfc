import { FormatError } from '../../formats/format-error.js'
import { asArray, isObject, type JsonObject } from '../../formats/json.js'
import { KNOWN_CONTEXTS } from '../../formats/json-ld/contexts/known-contexts.js'
import { contextsNamedIn } from '../../formats/json-ld/contexts/named-contexts.js'

/** Checks that a fetched document is a context that stands by itself. @throws FormatError */
export function checkRemoteContext(document: JsonObject): void {
  const parts = asArray(document['@context'])
  if (parts.length === 0 || !parts.every((part) => isObject(part) || typeof part === 'string'))
    throw new FormatError('invalid_context', 'it is no JSON-LD context')
  const named = [...contextsNamedIn(document)].find((url) => !KNOWN_CONTEXTS.has(url))
  if (named !== undefined)
    throw new FormatError(
      'invalid_context',
      `it names ${named.slice(0, 200)}, and contexts that it names are not fetched`,
    )
}
