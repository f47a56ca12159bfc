import { malformed } from '../compact/jws.js'
import { FormatError } from '../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../json.js'
import { LIMITS } from '../json-ld/limits.js'
import { type Disclosure, RESERVED } from './disclosures.js'

/** The most digests of a token, with those that stand for nothing. */
const MOST_DIGESTS = 2_000

export interface DisclosedClaims {
  readonly claims: JsonObject
  /** Whether a digest stands for nothing that is shown: for a hidden claim, or for none. */
  readonly isPartial: boolean
}

/**
 * Returns the payload of a token with the claims that its holder shows (RFC 9901, section 7.1).
 * @throws FormatError where a disclosure belongs to no digest or to several, replaces what is signed openly, or is of
 *   the wrong form for its place
 */
export function disclosedClaims(
  { _sd_alg: _, ...payload }: JsonObject,
  disclosures: ReadonlyMap<string, Disclosure>,
): DisclosedClaims {
  const seen = new Set<string>()
  let shown = 0

  const lookUp = (digest: Json): Disclosure | undefined => {
    if (typeof digest !== 'string') throw malformed('a digest is no text')
    if (seen.has(digest)) throw malformed('the same digest stands in it twice')
    seen.add(digest)
    if (seen.size > MOST_DIGESTS) throw new FormatError('too_large', `it has more than ${MOST_DIGESTS} digests`)
    const found = disclosures.get(digest)
    if (found !== undefined) shown += 1
    return found
  }

  const restored = (value: Json, depth: number): Json => {
    if (depth > LIMITS.depth) throw new FormatError('too_large', `nesting is deeper than ${LIMITS.depth}`)
    if (Array.isArray(value)) return value.flatMap((item) => itemOf(item, depth + 1))
    return isObject(value) ? members(value, depth) : value
  }

  const itemOf = (item: Json, depth: number): Json[] => {
    if (!isObject(item) || !('...' in item)) return [restored(item, depth)]
    if (Object.keys(item).length > 1) throw malformed('a digest in a list has members beside it')
    const found = lookUp(item['...'] ?? null)
    if (found === undefined) return []
    if (found.name !== undefined) throw malformed('a disclosure of a member stands for an item of a list')
    return [restored(found.value, depth)]
  }

  const members = ({ _sd, ...open }: JsonObject, depth: number): JsonObject => {
    const reserved = RESERVED.find((name) => name in open)
    if (reserved !== undefined) throw malformed(`a claim cannot be named ${reserved}`)
    if (_sd !== undefined && !Array.isArray(_sd)) throw malformed('its _sd is no list')
    const hidden = asArray(_sd).flatMap((digest): [string, Json][] => {
      const found = lookUp(digest)
      if (found === undefined) return []
      if (found.name === undefined) throw malformed('a disclosure of an item stands for a member')
      return [[found.name, found.value]]
    })
    const names = new Set([...Object.keys(open), ...hidden.map(([name]) => name)])
    if (names.size < Object.keys(open).length + hidden.length)
      throw malformed('a disclosure repeats the name of a claim')
    return Object.fromEntries(
      [...Object.entries(open), ...hidden].map(([name, value]) => [name, restored(value, depth + 1)]),
    )
  }

  const claims = members(payload, 1)
  if (shown < disclosures.size) throw malformed('it shows a disclosure that its issuer did not sign')
  return { claims, isPartial: seen.size > shown }
}
