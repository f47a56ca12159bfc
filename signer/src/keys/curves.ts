/**
 * The kinds of key. A private key has 32 bytes in every kind; their meaning is the kind's own: a seed (Ed25519, Sr25519,
 * BabyJubJub), or a scalar (X25519, Secp256k1 big-endian, those of the BBS family little-endian).
 */
import { edwards } from '@noble/curves/abstract/edwards.js'
import { mapHashToField } from '@noble/curves/abstract/modular.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { blake512 } from '@noble/hashes/blake1.js'
import { sr25519PairFromSeed, sr25519Sign } from '@polkadot/util-crypto'
import { SignerError } from '../errors.js'
import type { Randomness } from '../randomness.js'
import type { HeldKind } from '../wire.js'
import type { BlsPairs, KeyPair } from './bls-pairs.js'
import type { BlsKind } from './bls-public-keys.js'
import { ed25519Signer, publicKeyOf } from './ed25519.js'

interface Curve {
  /** Returns the pair. Throws where the secret is none of this kind. */
  publicKeyOf(secret: Uint8Array): Uint8Array
  /** Returns what signs by a secret, 64 bytes each; absent where a key of this kind does not sign bytes. */
  signer?(secret: Uint8Array): (bytes: Uint8Array) => Buffer
}

const curves: Record<Exclude<HeldKind, BlsKind>, Curve> = {
  Ed25519: { publicKeyOf: (secret) => publicKeyOf('Ed25519', secret), signer: ed25519Signer },
  X25519: { publicKeyOf: (secret) => publicKeyOf('X25519', secret) },
  BabyJubJub: { publicKeyOf: babyJubJubPublicKey },
  /** ES256K: ECDSA over SHA-256, deterministic (RFC 6979), the smaller s. */
  Secp256k1: {
    publicKeyOf: (secret) => secp256k1.getPublicKey(secret, true),
    signer: (secret) => (bytes) =>
      Buffer.from(secp256k1.sign(bytes, secret, { prehash: true, lowS: true }).toCompactRawBytes()),
  },
  /** Schnorr signatures in schnorrkel's context `substrate`. */
  Sr25519: {
    publicKeyOf: (secret) => sr25519PairFromSeed(secret).publicKey,
    signer: (secret) => {
      const pair = sr25519PairFromSeed(secret)
      return (bytes) => Buffer.from(sr25519Sign(bytes, pair))
    },
  },
}

export interface Curves {
  make(kind: HeldKind): Promise<KeyPair>
  /** Returns the pair of a private key; refuses one that is none of its kind. */
  pairOf(kind: HeldKind, secret: Uint8Array): Promise<KeyPair>
}

export function openCurves(bls: BlsPairs, random: Randomness): Curves {
  return {
    async make(kind) {
      // In the other kinds nearly all of 2^256 values are private keys.
      if (isOfBls(kind)) return bls.pairOf(kind, mapHashToField(random(blsSeedLength), blsOrder, true))
      const secret = random(secretLength)
      return { secret, publicKey: curves[kind].publicKeyOf(secret) }
    },
    async pairOf(kind, secret) {
      if (secret.length !== secretLength) throw malformed(kind)
      if (isOfBls(kind)) return isBlsScalar(secret) ? bls.pairOf(kind, secret) : Promise.reject(malformed(kind))
      try {
        return { secret, publicKey: curves[kind].publicKeyOf(secret) }
      } catch {
        // The cause is left out: the libraries' messages may quote the key.
        throw malformed(kind)
      }
    },
  }
}

/** Returns what makes a signer of a key of this kind; undefined if it signs no bytes. */
export function signerOf(kind: HeldKind): Curve['signer'] {
  return isOfBls(kind) ? undefined : curves[kind].signer
}

const blsKinds: Record<BlsKind, true> = {
  Bls12381G2: true,
  Bls12381G2Plus2022: true,
  BBDT16: true,
  VbAccumulator: true,
}

const isOfBls = (kind: HeldKind): kind is BlsKind => kind in blsKinds

const secretLength = 32
/** Half as long again as the order, so that the remainder prefers no value. */
const blsSeedLength = 48

function malformed(kind: HeldKind): SignerError {
  return new SignerError(422, 'malformed_key', `This is no private key of kind ${kind}.`)
}

function isBlsScalar(secret: Uint8Array): boolean {
  const scalar = bytesToNumberLE(secret)
  return scalar > 0n && scalar < blsOrder
}

/** r of BLS12-381. Its module, and that of Baby Jubjub, would take longer to load than all the rest of this file. */
const blsOrder = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/** EIP-2494: Baby Jubjub, with the base point of the subgroup of prime order. */
const babyJubJub = {
  p: 21888242871839275222246405745257275088548364400416034343698204186575808495617n,
  a: 168700n,
  d: 168696n,
  h: 8n,
  n: 2736030358979909402780800718157159386076813972158567259200215660948447373041n,
  Gx: 5299619240641551281634865583518297030282874472190772894086521144482721001553n,
  Gy: 16950150798460657717958625567821834550301663161624707787222815936182638968203n,
}
const Point = edwards(babyJubJub)
const half = (babyJubJub.p - 1n) / 2n

/**
 * The derivation is that of iden3: the secret is hashed with BLAKE-512 and pruned, and x counts as negative above half
 * of the field.
 */
function babyJubJubPublicKey(secret: Uint8Array): Uint8Array {
  const pruned = blake512(secret).slice(0, 32)
  pruned.set([(pruned[0] ?? 0) & 0xf8])
  pruned.set([((pruned[31] ?? 0) & 0x7f) | 0x40], 31)
  const { x, y } = Point.BASE.multiply((bytesToNumberLE(pruned) >> 3n) % babyJubJub.n).toAffine()
  const compressed = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()
  if (x > half) compressed.set([(compressed[31] ?? 0) | 0x80], 31)
  return compressed
}
