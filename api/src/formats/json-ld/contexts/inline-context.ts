import { isDeepStrictEqual } from 'node:util'
import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'

const DEFINITION_KEYS = new Set(['@id', '@type', '@container'])

/**
 * Refuses contexts that are more than flat lists of terms, and contexts below the top, but for those that a proof
 * repeats. What terms are called is judged
 * by what comes out (`checkUnambiguous`); this keeps short the time that a stranger's contexts take.
 * @throws FormatError
 */
export function checkInlineContexts(document: JsonObject): void {
  const { '@context': context, verifiableCredential, proof, ...members } = document
  for (const part of asArray(context)) checkPart(part)
  const proofs = asArray(proof).map((one) => withoutRepeated(one, asArray(context)))
  if (hasContext([members, ...proofs])) throw new FormatError('malformed', 'it has a @context below its top')
  for (const credential of asArray(verifiableCredential)) if (isObject(credential)) checkInlineContexts(credential)
}

/** A proof without its `@context`, where that only repeats the first ones of the document. */
function withoutRepeated(proof: Json, contexts: readonly Json[]): Json {
  if (!isObject(proof) || proof['@context'] === undefined) return proof
  const { '@context': repeated, ...members } = proof
  const own = asArray(repeated)
  return isDeepStrictEqual(own, contexts.slice(0, own.length)) ? members : proof
}

function checkPart(part: Json): void {
  if (typeof part === 'string') return
  if (!isObject(part)) throw refused('holds something that is neither a URL nor an object')
  for (const [name, definition] of Object.entries(part)) {
    const isFine = name.startsWith('@') ? isPlainKeyword(name, definition) : isFlat(definition)
    if (!isFine) throw refused(`defines ${name.slice(0, 64)} as something other than a term`)
  }
}

const refused = (text: string): FormatError => new FormatError('invalid_context', `its @context ${text}`)

const isPlainKeyword = (name: string, value: Json): boolean =>
  name === '@version' ? value === 1.1 : (name === '@base' || name === '@vocab') && typeof value === 'string'

const isFlat = (definition: Json): boolean =>
  typeof definition === 'string' ||
  (isObject(definition) &&
    Object.entries(definition).every(([key, value]) => DEFINITION_KEYS.has(key) && typeof value === 'string'))

function hasContext(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasContext)
  return isObject(value) && ('@context' in value || Object.values(value).some(hasContext))
}
