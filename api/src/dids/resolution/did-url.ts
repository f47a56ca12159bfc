import { type Did, decodeBase58, isFragment, parseDid } from '@accredit/chain'
import { ResolutionError } from './did-resolution.js'

/** A DID URL (DID Core 1.0, section 3.2) of a DID that can be resolved here. */
export interface DidUrl {
  did: Did
  /** The part behind `?`. */
  parameters: URLSearchParams
  /** The part behind `#`: it names something inside the document. */
  fragment: string | undefined
}

const DID_URL = /^(?<did>[^/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?(?:#(?<fragment>.*))?$/s
// The syntax of a DID in DID Core 1.0, section 3.1.
const DID = /^did:([a-z0-9]+):(?:(?:[\w.-]|%[0-9A-Fa-f]{2})*:)*(?:[\w.-]|%[0-9A-Fa-f]{2})+$/
const MAX_LENGTH = 2000

/** Throws `ResolutionError` for a text that is no DID URL, or is one of a DID that cannot be resolved here. */
export function readDidUrl(text: string): DidUrl {
  const { did: written = '', path, query = '', fragment } = DID_URL.exec(text)?.groups ?? {}
  const did = readDid(text.length > MAX_LENGTH ? '' : written)
  const rest = [path?.slice(1), query, fragment]
  if (fragment === '' || !rest.every((part) => part === undefined || isFragment(part)))
    throw new ResolutionError('invalidDidUrl', 'This begins with a DID and is no DID URL')
  if (path !== undefined) throw new ResolutionError('featureNotSupported', 'DID URLs with a path are not followed')
  return { did, parameters: new URLSearchParams(query), fragment }
}

function readDid(text: string): Did {
  const method = DID.exec(text)?.[1]
  if (method === undefined) throw new ResolutionError('invalidDid', 'This is not a DID')
  const did = parseDid(text)
  if (did !== undefined) return did
  if (method !== 'svc' && method !== 'key')
    throw new ResolutionError(
      'methodNotSupported',
      'DIDs of this method are not resolved here; did:svc and did:key are',
    )
  if (isOtherKey(text))
    throw new ResolutionError('unsupportedPublicKeyType', 'A did:key is resolved here of Ed25519 and secp256k1 keys')
  throw new ResolutionError('invalidDid', `This is not a well-formed did:${method}`)
}

/**
 * The kinds of keys that a did:key may have and none here has, by multicodec, with their length in bytes; null: any.
 */
const OTHER_KEYS: ReadonlyMap<number, number | null> = new Map([
  [0xea, 48], // BLS12-381 G1
  [0xeb, 96], // BLS12-381 G2
  [0xec, 32], // X25519
  [0xee, 144], // BLS12-381 G1 and G2
  [0xef, 32], // Sr25519
  [0x1200, 33], // P-256
  [0x1201, 49], // P-384
  [0x1202, 67], // P-521
  [0x1203, 57], // Ed448
  [0x1204, 56], // X448
  [0x1205, null], // RSA
  [0xeb51, null], // a JWK
])

function isOtherKey(did: string): boolean {
  const [first = 0, second = 0, third = 0, ...more] = decodeBase58(/^did:key:z(.+)$/.exec(did)?.[1] ?? '') ?? []
  // The code is an unsigned varint, which has two or three bytes for these.
  const isLong = second >= 0x80
  const code = (first & 0x7f) | ((second & 0x7f) << 7) | (isLong ? third << 14 : 0)
  const length = OTHER_KEYS.get(first < 0x80 ? 0 : code)
  const given = more.length + (isLong ? 0 : 1)
  return length === null ? given > 1 : length === given
}
