/** The library as threads use it: it blocks its own for tens of milliseconds, so that nothing else loads it. */
import { createRequire } from 'node:module'

// Its ES module imports a name that a CommonJS package does not export, so that Node loads only the CommonJS one.
const eddsa: typeof import('@zk-kit/eddsa-poseidon') = createRequire(import.meta.url)('@zk-kit/eddsa-poseidon')

/** The order of the field over which the curve is, and in which Poseidon hashes. */
const FIELD = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

type Point = ReturnType<typeof eddsa.unpackPublicKey>

/**
 * Tells whether a key made this signature over a field element. What has a second form, is no point, or is a key that
 * everybody can sign with, proves nothing.
 * @param publicKey 32 bytes, the compressed point
 * @param element 32 bytes, little-endian
 * @param signature 64 bytes: a compressed point, and a scalar, little-endian
 */
export function isBabyJubJubSignature(publicKey: Uint8Array, element: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || element.length !== 32 || signature.length !== 64) return false
  const [key, r] = [pointOf(publicKey), pointOf(signature.subarray(0, 32))]
  const message = numberOf(element)
  if (key === undefined || r === undefined || message >= FIELD || isSmallOrder(key)) return false
  return eddsa.verifySignature(message, { R8: r, S: numberOf(signature.subarray(32)) }, key)
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** Returns the point of its one compressed form. The library also takes y that is not reduced, and a sign of zero. */
function pointOf(bytes: Uint8Array): Point | undefined {
  const packed = numberOf(bytes)
  if (BigInt.asUintN(255, packed) >= FIELD) return undefined
  try {
    const point = eddsa.unpackPublicKey(packed)
    return eddsa.packPublicKey(point) === packed ? point : undefined
  } catch {
    return undefined // no point of the curve
  }
}

/** The ordinates of the eight points of small order; the ledger refuses the same ones. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  FIELD - 1n,
  4826523245007015323400664741523384119579596407052839571721035538011798951543n,
  FIELD - 4826523245007015323400664741523384119579596407052839571721035538011798951543n,
])

const isSmallOrder = ([, y]: Point): boolean => SMALL_ORDER.has(BigInt(y))
