import { createHash } from 'node:crypto'
import { jsonOfBase64Url } from '../compact/json-text.js'
import { malformed } from '../compact/jws.js'
import type { Json } from '../json.js'

/** The most disclosures of a token: each is looked up once. */
const MOST = 500

/** The names of hash functions in tokens, and in Node (IANA, Named Information Hash Algorithm Registry). */
const HASHES: ReadonlyMap<Json, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-384', 'sha384'],
  ['sha-512', 'sha512'],
])

export type Digest = (text: string) => string

/** Returns the hash of a token as its `_sd_alg` names it. @throws FormatError for one that is not known here */
export function digestNamed(name: Json | undefined): Digest {
  const hash = HASHES.get(name ?? 'sha-256')
  if (name === null || hash === undefined)
    throw malformed('its digests are made in a way that is not known here (_sd_alg)')
  return (text) => createHash(hash).update(text).digest('base64url')
}

/** A member of an object, or an item of a list, that the holder shows. */
export interface Disclosure {
  readonly name: string | undefined
  readonly value: Json
}

/** Names that have a meaning of their own in tokens (RFC 9901, section 7.1). */
export const RESERVED: readonly string[] = ['_sd', '...', '_sd_alg']

/** Returns the disclosures by their digests. @throws FormatError for what no issuer makes, and for one that stands twice */
export function readDisclosures(texts: readonly string[], digest: Digest): Map<string, Disclosure> {
  if (texts.length > MOST) throw malformed(`it has more than ${MOST} disclosures`)
  const byDigest = new Map(texts.map((text) => [digest(text), readDisclosure(text)]))
  if (byDigest.size < texts.length) throw malformed('it shows the same disclosure twice')
  return byDigest
}

function readDisclosure(text: string): Disclosure {
  const parts = jsonOfBase64Url(text)
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') throw malformed('a disclosure cannot be read')
  const [, second = null, third = null] = parts
  if (parts.length === 2) return { name: undefined, value: second }
  if (parts.length !== 3 || typeof second !== 'string') throw malformed('a disclosure cannot be read')
  if (RESERVED.includes(second)) throw malformed(`a disclosure cannot be named ${second}`)
  return { name: second, value: third }
}
