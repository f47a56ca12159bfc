import { createRequire } from 'node:module'

const { derivePublicKey, packPublicKey, packSignature, signMessage }: typeof import('@zk-kit/eddsa-poseidon') =
  createRequire(import.meta.url)('@zk-kit/eddsa-poseidon')

/** 32 bytes, little-endian. */
export const littleEndian = (value: bigint) =>
  Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse())

export const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** A key of Baby Jubjub, for tests that need no signer. @param secret 32 bytes */
export function babyJubJubKey(secret: Uint8Array) {
  return {
    publicKey: littleEndian(BigInt(packPublicKey(derivePublicKey(secret)))),
    /** @param element 32 bytes, little-endian */
    sign: async (element: Uint8Array) => Uint8Array.from(packSignature(signMessage(secret, numberOf(element)))),
  }
}
