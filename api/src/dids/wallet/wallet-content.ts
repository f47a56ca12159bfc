import {
  bytesOf,
  type ChainKey,
  decodeBase58,
  encodeBase58,
  type Hex,
  hexOf,
  KEY_LENGTHS,
  type KeyKind,
} from '@accredit/chain'
import { asArray, isObject, type JsonObject } from '../../formats/json.js'

/** A fault of a wallet, in words for its sender, and without the wallet's contents. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
}

/** A key as a wallet hands it over: its secret 32 bytes, and its public half where the wallet names it. */
export interface WalletSecret {
  kind: KeyKind
  publicKey: Hex | undefined
  privateKey: Hex
  /** The owner of the key, as the wallet says. */
  controller: string | undefined
}

/** A verification method, as a DID document lists it. */
interface Method {
  id: string
  type: string
  controller: string
  publicKeyMultibase?: string
  publicKeyBase58?: string
}

const WALLET_CONTEXT = ['https://w3id.org/wallet/v1']

/** Multicodec prefixes of private keys, as unsigned varints; Baby Jubjub has none. */
const PRIVATE_CODEC: Readonly<Record<KeyKind, readonly number[]>> = {
  Ed25519: [0x80, 0x26],
  Secp256k1: [0x81, 0x26],
  X25519: [0x82, 0x26],
  Sr25519: [0x83, 0x26],
  Bls12381G2: [0x8a, 0x26],
  Bls12381G2Plus2022: [0x8a, 0x26],
  BabyJubJub: [],
}

const SECRET_BYTES = 32

/** A key pair as wallets of the field have it: Ed25519's secret is followed by the public key. */
export function keyDocument(method: Method, { kind, publicKey }: ChainKey, privateKey: Hex): JsonObject {
  const secret = kind === 'Ed25519' ? Buffer.concat([bytesOf(privateKey), bytesOf(publicKey)]) : bytesOf(privateKey)
  const { id, type, controller, publicKeyMultibase } = method
  const multibase = publicKeyMultibase !== undefined && {
    publicKeyMultibase,
    privateKeyMultibase: `z${encodeBase58(Uint8Array.from([...PRIVATE_CODEC[kind], ...secret]))}`,
  }
  return {
    '@context': WALLET_CONTEXT,
    id,
    type,
    controller,
    ...(multibase || {}),
    publicKeyBase58: encodeBase58(bytesOf(publicKey)),
    privateKeyBase58: encodeBase58(secret),
  }
}

/** The DIDs that a wallet is about, as far as its resolution results say, and the keys that it holds. */
export interface WalletContents {
  dids: string[]
  secrets: WalletSecret[]
}

/** Reads the documents of opened wallets. Skips those that are neither a DID's nor a key's (credentials, names). */
export function readContents(documents: readonly JsonObject[]): WalletContents {
  return {
    dids: [...new Set(documents.flatMap(didsOf))],
    secrets: documents.flatMap((document) => readSecret(document) ?? []),
  }
}

function didsOf(document: JsonObject): string[] {
  const { didDocument, id } = document
  const told = isObject(didDocument) ? didDocument.id : isDidDocument(document) ? id : undefined
  return typeof told === 'string' ? [told] : []
}

const isDidDocument = ({ id, verificationMethod, publicKey, authentication }: JsonObject): boolean =>
  typeof id === 'string' &&
  id.startsWith('did:') &&
  [verificationMethod, publicKey, authentication].some((member) => Array.isArray(member))

const KIND_OF_TYPE: readonly (readonly [type: RegExp, kind: KeyKind])[] = [
  [/^Ed25519/, 'Ed25519'],
  [/^X25519/, 'X25519'],
  [/^(BJJ|BabyJubJub)/, 'BabyJubJub'],
  [/^Bls12381G2VerificationKeyDock2022/, 'Bls12381G2Plus2022'],
  [/^Bls12381(BBSVerification|G2)/, 'Bls12381G2'],
  [/^(Ecdsa)?Secp256k1/, 'Secp256k1'],
  [/^Sr25519/, 'Sr25519'],
]
const KIND_OF_CURVE: Readonly<Record<string, KeyKind>> = {
  Ed25519: 'Ed25519',
  X25519: 'X25519',
  secp256k1: 'Secp256k1',
}

/** Returns undefined for a document that holds no secret, or is of a kind that no DID here has. */
function readSecret(document: JsonObject): WalletSecret | undefined {
  const written = [
    fromBase58(document.privateKeyBase58),
    ...[document.privateKeyMultibase, document.secretKeyMultibase].map(fromMultibase),
    fromJwk(document.privateKeyJwk, 'd'),
  ].filter((one) => one !== undefined)
  const kind = kindOf(document)
  if (written.length === 0 || kind === undefined) return undefined
  const secret = written.map((text) => withoutCodec(text, PRIVATE_CODEC[kind])).find(isSecret)
  if (secret === undefined) throw new WalletError(`A private ${kind} key of the wallet is malformed`)
  return {
    kind,
    publicKey: publicKeyOf(document, kind) ?? publicHalf(secret, kind),
    privateKey: hexOf(secret.subarray(0, SECRET_BYTES)),
    controller: typeof document.controller === 'string' ? document.controller : undefined,
  }
}

function kindOf(document: JsonObject): KeyKind | undefined {
  for (const type of asArray(document.type ?? null)) {
    const found = KIND_OF_TYPE.find(([pattern]) => typeof type === 'string' && pattern.test(type))
    if (found !== undefined) return found[1]
  }
  const jwk = [document.privateKeyJwk, document.publicKeyJwk].find(isObject)
  const curve = jwk?.crv
  if (typeof curve === 'string') return Object.hasOwn(KIND_OF_CURVE, curve) ? KIND_OF_CURVE[curve] : undefined
  const prefixed = fromMultibase(document.privateKeyMultibase ?? document.secretKeyMultibase)
  return KINDS.find((kind) => prefixed !== undefined && startsWith(prefixed, PRIVATE_CODEC[kind]))
}

const KINDS = ['Ed25519', 'Secp256k1', 'X25519', 'Sr25519', 'Bls12381G2'] as const

/** Returns undefined where the member is absent, and no bytes for a text that is not base58. */
function fromBase58(member: unknown): Buffer | undefined {
  if (typeof member !== 'string' || member.length > 200) return undefined
  const found = decodeBase58(member)
  return found === undefined ? Buffer.alloc(0) : Buffer.from(found)
}

/** The field's multibase is base58 behind a `z`, which is also a digit of base58: only real multibase is read so. */
const fromMultibase = (member: unknown): Buffer | undefined =>
  fromBase58(typeof member === 'string' && member.startsWith('z') ? member.slice(1) : member)

function fromJwk(jwk: unknown, member: string): Buffer | undefined {
  const value: unknown = typeof jwk === 'object' && jwk !== null ? Reflect.get(jwk, member) : undefined
  return typeof value === 'string' && value.length <= 200 ? Buffer.from(value, 'base64url') : undefined
}

const startsWith = (key: Buffer, codec: readonly number[]): boolean =>
  codec.length > 0 && codec.every((byte, index) => key[index] === byte)

/** Wallets of the field write multibase with and without a multicodec. */
function withoutCodec(key: Buffer, codec: readonly number[]): Buffer {
  const isPrefixed = (key.length === SECRET_BYTES + 2 || key.length === 2 * SECRET_BYTES + 2) && startsWith(key, codec)
  return isPrefixed ? key.subarray(2) : key
}

/** The secret is 32 bytes, or 32 bytes followed by the public key. */
const isSecret = ({ length }: Buffer): boolean => length === SECRET_BYTES || length === 2 * SECRET_BYTES

function publicHalf(secret: Buffer, kind: KeyKind): Hex | undefined {
  return kind === 'Ed25519' && secret.length === 2 * SECRET_BYTES ? hexOf(secret.subarray(SECRET_BYTES)) : undefined
}

function publicKeyOf(document: JsonObject, kind: KeyKind): Hex | undefined {
  const length = KEY_LENGTHS[kind]
  const written = [
    fromBase58(document.publicKeyBase58),
    fromMultibase(document.publicKeyMultibase),
    kind === 'Secp256k1' ? undefined : fromJwk(document.publicKeyJwk, 'x'),
  ]
  for (const key of written) {
    if (key?.length === length) return hexOf(key)
    if (key?.length === length + 2) return hexOf(key.subarray(2))
  }
  return undefined
}
