/** Public keys of the BBS family: a scalar times a point of the parameters, which is the same for every key of a kind. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'

const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point

/** The kinds whose private keys are scalars of BLS12-381, little-endian. */
export type BlsKind = MessageKind | 'VbAccumulator'

/** Those that sign messages. */
export type MessageKind = 'Bls12381G2' | 'Bls12381G2Plus2022' | 'BBDT16'

/**
 * `g2` of the parameters for the labels that credentials with BBS and BBS+ are signed with, and `g_0` of those for
 * BBDT16, compressed.
 * The label alone makes them, so they are written here: the library would check and decompress all parameters again for
 * each key.
 */
const g2OfBbs = G2.fromHex(
  '951113a09ccd914117226445cd4d5aa6d82218d8d3f5b517d7b43020c94ee0121642129e969b3e14c41b737823f65dcf02445bd9067ed201f4b93771091e40c8920deb706ce68690b02eb80ebddc6c7b5001e5087170d04b70e2fb85b8f5fd51',
)
const g2OfBbsPlus = G2.fromHex(
  'b95f6ebd963b5c5d9193730c291e4aa4eb9d59ca7bc30015693eb8c5e2dc299ef67080f06adc7e5d88a03689ed6b52c40b9f3c0bfb2ef2efb19f7f9bf7c8953a16ab5f2939bcff084408aeb15d7b3dd9d06942601ead522f80cea151b948987d',
)
const g0OfBbdt16 = G1.fromHex(
  'b1c0c201e18897aa98a9cdc495e987d4f23a8d5167d993ca4c5618292fc50f592caef6caa2f454c2fd23563ce055637f',
)

/** `P2` of the parameters of accumulators, which every wallet of the field has. */
const p2OfAccumulators = G2.fromHex(
  '8d7c84d8b5adb1050851b36d1d93e96bf696cc3dda8a3f142fc3e23a890c8fd630dfc3c83ae50062b1e36214c8b94e5905173a7242581a87adcc6c40f395269ab15c05d1f6a6ac354739a6c355297c4685e9feca69523d11acbceac2b2cad5e9',
)

const bases = { Bls12381G2: g2OfBbs, Bls12381G2Plus2022: g2OfBbsPlus, VbAccumulator: p2OfAccumulators }

/** With a table of 2^7 multiples for each of 33 parts of the scalar, a key is 33 additions: a fifth of the work. */
const windowBits = 8

/** Makes the table of the kind that every DID has, which takes a quarter of a second; without it the first key does. */
export function prepareBls(): void {
  g2OfBbs.precompute(windowBits, false)
}

/** @param secret a scalar from 1 to the order less one, 32 bytes, little-endian */
export function blsPublicKey(kind: BlsKind, secret: Uint8Array): Uint8Array {
  const scalar = bytesToNumberLE(secret)
  if (kind === 'BBDT16') return g0OfBbdt16.multiply(scalar).toBytes()
  const { x, y } = bases[kind].multiply(scalar).toAffine()
  return compressed(x, y)
}

type Fp2 = typeof G2.BASE.x

/** The form of ZCash: x with the imaginary part first, and three flags: compressed, infinite, the larger y. */
function compressed(x: Fp2, y: Fp2): Uint8Array {
  const bytes = Buffer.from(coordinate(x.c1) + coordinate(x.c0), 'hex')
  const isLarger = y.c1 === 0n ? y.c0 > half : y.c1 > half
  bytes.writeUInt8(bytes.readUInt8() | (isLarger ? 0xa0 : 0x80))
  return Uint8Array.from(bytes)
}

const half = (bls12_381.fields.Fp.ORDER - 1n) / 2n

const coordinate = (value: bigint): string => value.toString(16).padStart(96, '0')
