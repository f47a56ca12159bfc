import { FormatError } from '../../formats/format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { KNOWN_CONTEXTS } from '../../formats/json-ld/contexts/known-contexts.js'

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

/** Yields the addresses that would be loaded with a context. */
function* contextsNamedIn(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* contextsNamedIn(item)
  if (!isObject(value)) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === '@context' || name === '@import')
      for (const part of asArray(inner)) if (typeof part === 'string') yield part
    yield* contextsNamedIn(inner)
  }
}
