import { createHash } from 'node:crypto'
import { decodeBase58 } from '@accredit/chain'
import { parseUrl } from '../../../platform/parse-url.js'
import { asArray, isObject, type Json, type JsonObject, textOf } from '../../json.js'

/**
 * Resources that a credential names with digests: whoever uses one has to compare them.
 * https://www.w3.org/TR/vc-data-model-2.0/#integrity-of-related-resources
 */
export interface Digest {
  readonly algorithm: 'sha256' | 'sha384' | 'sha512'
  readonly bytes: Buffer
}

/** Returns the fault in the form of `relatedResource`. */
export function wrongInResources(value: Json | undefined): string | undefined {
  const known = new Set<string>()
  for (const resource of value === undefined ? [] : asArray(value)) {
    const id = isObject(resource) ? textOf(resource.id) : undefined
    if (!isObject(resource) || id === undefined || !parseUrl(id)) return 'its relatedResource has no URL as id'
    if (known.has(id)) return `its relatedResource names ${id.slice(0, 100)} twice`
    known.add(id)
    if (resource.digestSRI === undefined && resource.digestMultibase === undefined)
      return `its relatedResource ${id.slice(0, 100)} has no digest`
    if (digestsOf(resource) === undefined)
      return `a digest of its relatedResource ${id.slice(0, 100)} is none of SHA-256, SHA-384 or SHA-512`
  }
  return undefined
}

/** Returns the ids of resources of which the bytes at hand have another digest than is signed. */
export function otherDigests(resources: readonly Json[], bytesOf: ReadonlyMap<string, Uint8Array>): string[] {
  return resources.filter(isObject).flatMap((resource) => {
    const id = textOf(resource.id) ?? ''
    const bytes = bytesOf.get(id)
    if (bytes === undefined) return []
    const digests = digestsOf(resource) ?? []
    const isSame = digests.length > 0 && digests.every((digest) => hashOf(digest, bytes).equals(digest.bytes))
    return isSame ? [] : [id]
  })
}

const hashOf = ({ algorithm }: Digest, bytes: Uint8Array): Buffer => createHash(algorithm).update(bytes).digest()

/** Returns all digests of a resource; undefined where one cannot be read. */
function digestsOf({ digestSRI, digestMultibase }: JsonObject): Digest[] | undefined {
  const texts = [
    ...asArray(digestSRI).flatMap((text) =>
      typeof text === 'string' ? text.trim().split(/\s+/).map(integrity) : undefined,
    ),
    ...asArray(digestMultibase).map((text) => (typeof text === 'string' ? multihash(text) : undefined)),
  ]
  const read = texts.filter((digest) => digest !== undefined)
  return read.length === texts.length ? read : undefined
}

const BYTES = { sha256: 32, sha384: 48, sha512: 64 } as const

/** `sha384-<base64>` (https://www.w3.org/TR/SRI/); issuers write hexadecimal digits as well, which are longer. */
function integrity(text: string): Digest | undefined {
  const [, name, encoded = ''] = /^(sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (name !== 'sha256' && name !== 'sha384' && name !== 'sha512') return undefined
  const isHex = encoded.length === 2 * BYTES[name] && /^[0-9a-f]+$/i.test(encoded)
  return digest(name, Buffer.from(encoded, isHex ? 'hex' : 'base64'))
}

/** The code of an algorithm, and the length of its digest. https://www.w3.org/TR/cid-1.0/#multihash */
const MULTIHASH = new Map([
  ['1220', 'sha256'],
  ['2030', 'sha384'],
  ['1340', 'sha512'],
] as const)

function multihash(text: string): Digest | undefined {
  const decoded = decodeMultibase(text)
  if (decoded === undefined) return undefined
  const code = decoded.subarray(0, 2).toString('hex')
  for (const [known, algorithm] of MULTIHASH) if (known === code) return digest(algorithm, decoded.subarray(2))
  return undefined
}

function decodeMultibase(text: string): Buffer | undefined {
  const encoded = text.slice(1)
  if (text.startsWith('u') && /^[\w-]+$/.test(encoded)) return Buffer.from(encoded, 'base64url')
  const decoded = text.startsWith('z') && text.length < 200 ? decodeBase58(encoded) : undefined
  return decoded && Buffer.from(decoded)
}

const digest = (algorithm: Digest['algorithm'], bytes: Buffer): Digest | undefined =>
  bytes.length === BYTES[algorithm] ? { algorithm, bytes } : undefined
