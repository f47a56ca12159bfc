import { decodeBase58, encodeBase58 } from './base58.js'
import { bytesOf, type Hex, type Hex32, hex32Of, hexOf } from './bytes.js'
import type { Did as ChainDid } from './generated/calls.js'
import type { ChainKey } from './key.js'

/**
 * A DID that the ledger can name: did:svc:… of its own, did:key:… of an Ed25519 or secp256k1 key, or one of another
 * method, which it knows as a text.
 */
export type Did = string & { readonly __brand: 'Did' }

/** A DID in the runtime's form. */
export type { ChainDid }

type ActingDid = Exclude<ChainDid, { Other: unknown }>

const SVC = 'did:svc:'
const KEY = 'did:key:z'

/** Multicodec prefixes of public keys, as unsigned varints. */
export const MULTICODEC = {
  Ed25519: [0xed, 0x01],
  X25519: [0xec, 0x01],
  Bls12381G2: [0xeb, 0x01],
  Secp256k1: [0xe7, 0x01],
  BabyJubJub: undefined,
  Sr25519: [0xef, 0x01],
  // The code of keys in G2 belongs to those for BBS here.
  Bls12381G2Plus2022: undefined,
} as const

/**
 * Reads a DID that can act, did:svc or did:key, without fragment or query and in its one canonical form; undefined for
 * every other text.
 */
export function parseDid(text: string): Did | undefined {
  // Base58 has one text for the same bytes: a text that can be read is in canonical form.
  return parseActingDid(text) && brand(text)
}

/** The most characters of a DID of another method, as in the runtime. */
const MOST_CHARACTERS = 512
const OTHER = /^did:(?!svc:|key:)[a-z0-9]+:(?:[A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})$/

/**
 * Reads a DID of any method (DID Core, section 3.1), to name it or to ask about it. One of another method has no
 * canonical form that all methods share: each text is a DID of its own.
 */
export function parseAnyDid(text: string): Did | undefined {
  return parseDid(text) ?? (isOther(text) ? brand(text) : undefined)
}

const isOther = (text: string): boolean => text.length <= MOST_CHARACTERS && OTHER.test(text)

function parseActingDid(text: string): ActingDid | undefined {
  if (text.length > 128) return undefined
  if (text.startsWith(SVC)) {
    const id = decodeBase58(text.slice(SVC.length))
    return id?.length === 32 ? { Svc: hex32Of(id) } : undefined
  }
  if (!text.startsWith(KEY)) return undefined
  const encoded = decodeBase58(text.slice(KEY.length))
  if (!encoded) return undefined
  const key = hexOf(encoded.subarray(2))
  if (hasPrefix(encoded, MULTICODEC.Ed25519, 32)) return { Key: { Ed25519: key } }
  if (hasPrefix(encoded, MULTICODEC.Secp256k1, 33)) return { Key: { Secp256k1: key } }
  return undefined
}

function hasPrefix(encoded: Uint8Array, [first, second]: readonly [number, number], length: number): boolean {
  return encoded[0] === first && encoded[1] === second && encoded.length === length + 2
}

/** Returns the DID of this ledger with this id. */
export function didSvc(id: Hex32): Did {
  return didOf({ Svc: id })
}

/** Returns the did:key of a key; undefined for kinds that the ledger does not take as did:key. */
export function didKey(key: ChainKey): Did | undefined {
  if (key.kind === 'Ed25519') return didOf({ Key: { Ed25519: key.publicKey } })
  if (key.kind === 'Secp256k1') return didOf({ Key: { Secp256k1: key.publicKey } })
  return undefined
}

/** Returns the DID that a value of the runtime means. */
export function didOf(did: ChainDid): Did {
  if ('Svc' in did) return brand(SVC + encodeBase58(bytesOf(did.Svc)))
  if ('Other' in did) return otherDid(did.Other)
  const { Key: key } = did
  const [prefix, publicKey] =
    'Ed25519' in key ? [MULTICODEC.Ed25519, key.Ed25519] : [MULTICODEC.Secp256k1, key.Secp256k1]
  return brand(KEY + encodeBase58(new Uint8Array([...prefix, ...bytesOf(publicKey)])))
}

function otherDid(bytes: Hex): Did {
  const text = new TextDecoder().decode(bytesOf(bytes))
  if (!isOther(text)) throw new TypeError('not the text of a DID')
  return brand(text)
}

/** Returns a DID as the runtime writes it. */
export function chainDid(did: Did): ChainDid {
  const acting = parseActingDid(did)
  if (acting) return acting
  if (!isOther(did)) throw new TypeError(`not a DID of the ledger: ${did}`)
  return { Other: hexOf(new TextEncoder().encode(did)) }
}

/** Returns the 32 bytes of a did:svc; undefined for a DID of another method. */
export function didToHex(did: Did): Hex32 | undefined {
  const parsed = chainDid(did)
  return 'Svc' in parsed ? parsed.Svc : undefined
}

/** Returns the key inside a did:key; undefined for a DID of another method. */
export function didKeyOf(did: Did): ChainKey | undefined {
  const parsed = chainDid(did)
  if (!('Key' in parsed)) return undefined
  return 'Ed25519' in parsed.Key
    ? { kind: 'Ed25519', publicKey: parsed.Key.Ed25519 }
    : { kind: 'Secp256k1', publicKey: parsed.Key.Secp256k1 }
}

/** Returns the raw public key of a did:key; undefined for a DID of another method. */
export function didKeyPublicKey(did: Did): Uint8Array | undefined {
  const key = didKeyOf(did)
  return key && bytesOf(key.publicKey)
}

function brand(text: string): Did {
  if (!isDid(text)) throw new TypeError(`not a DID: ${text}`)
  return text
}

// Turns a text into a Did, in the only place that may: callers have built it from bytes.
function isDid(text: string): text is Did {
  return text.startsWith('did:')
}
