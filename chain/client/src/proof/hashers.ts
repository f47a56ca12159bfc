import { blake2b } from '@noble/hashes/blake2b'
import { concatBytes } from '@noble/hashes/utils'
import { littleEndian } from './bytes.js'

export function blake2b256(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: 32 })
}

/** The hashers of storage keys, as FRAME names them. */
export const HASHERS = {
  Blake2_128Concat: (bytes: Uint8Array) => concatBytes(blake2b(bytes, { dkLen: 16 }), bytes),
  Twox64Concat: (bytes: Uint8Array) => concatBytes(littleEndian(xxHash64(bytes, 0n), 8), bytes),
} as const

export function twox128(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  return concatBytes(littleEndian(xxHash64(bytes, 0n), 8), littleEndian(xxHash64(bytes, 1n), 8))
}

const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
]

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value)
const turn = (value: bigint, bits: bigint): bigint => wrap(value << bits) | (value >> (64n - bits))
const round = (lane: bigint, input: bigint): bigint => wrap(turn(wrap(lane + input * P2), 31n) * P1)
const merge = (hash: bigint, lane: bigint): bigint => wrap((hash ^ round(0n, lane)) * P1 + P4)

/** xxHash of 64 bits, which @noble does not have: names of pallets and numbers are hashed with it, nothing that is secret. */
function xxHash64(bytes: Uint8Array, seed: bigint): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  let hash = wrap(seed + P5)
  if (bytes.length >= 32) {
    const lanes = [seed + P1 + P2, seed + P2, seed, seed - P1].map(wrap)
    for (; at + 32 <= bytes.length; at += 32)
      for (const [number, lane] of lanes.entries())
        lanes[number] = round(lane, view.getBigUint64(at + 8 * number, true))
    hash = wrap(lanes.reduce((sum, lane, number) => sum + turn(lane, [1n, 7n, 12n, 18n][number] ?? 0n), 0n))
    hash = lanes.reduce(merge, hash)
  }
  hash = wrap(hash + BigInt(bytes.length))
  for (; at + 8 <= bytes.length; at += 8)
    hash = wrap(turn(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4)
  if (at + 4 <= bytes.length) {
    hash = wrap(turn(hash ^ wrap(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3)
    at += 4
  }
  for (; at < bytes.length; at += 1) hash = wrap(turn(hash ^ wrap(BigInt(view.getUint8(at)) * P5), 11n) * P1)
  hash = wrap((hash ^ (hash >> 33n)) * P2)
  hash = wrap((hash ^ (hash >> 29n)) * P3)
  return hash ^ (hash >> 32n)
}
