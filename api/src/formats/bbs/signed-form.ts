import stringify from 'json-stringify-deterministic'
import type { Json, JsonObject } from '../json.js'

export const CRYPTO_VERSION = '0.6.0'
export const SCHEMA_VERSION = '0.4.0'

/** The versions of credentials whose form is known. */
export const CRYPTO_VERSIONS: readonly Json[] = [CRYPTO_VERSION, '0.7.0']

/** A text that is the same for equal values, whatever the order of their members. */
export const deterministic = (value: Json): string => stringify(value)

/**
 * A credential as it is signed: `@context` and `type` are one message each, and the proof has the context of the whole
 * document as a member. `proofValue` is the signature over all of it.
 */
export function signedForm(
  { '@context': context, type, proof, ...members }: JsonObject,
  proofOptions: JsonObject,
): JsonObject {
  return {
    ...members,
    '@context': deterministic(context ?? null),
    type: deterministic(type ?? null),
    proof: { ...(context !== undefined && { '@context': context }), ...proofOptions },
  }
}
