/** EdDSA over Baby Jubjub with Poseidon. The library takes tens of milliseconds for each signature. */
import { createRequire } from 'node:module'
import { bytesToNumberLE } from '@noble/curves/utils.js'

// Its ES module imports a name that a CommonJS package does not export, so that Node loads only the CommonJS one.
const { packSignature, signMessage }: typeof import('@zk-kit/eddsa-poseidon') = createRequire(import.meta.url)(
  '@zk-kit/eddsa-poseidon',
)

/** The order of the field over which the curve is, and in which Poseidon hashes. */
const fieldOrder = 21888242871839275222246405745257275088548364400416034343698204186575808495617n

/**
 * Signs one field element.
 * @param messages one, of 32 bytes, little-endian; Poseidon would hash a greater number as its remainder
 * @returns R and S, 32 bytes each, little-endian
 */
export function signBabyJubJub(secret: Uint8Array, messages: readonly Uint8Array[]): Uint8Array {
  const [message, ...others] = messages
  if (message?.length !== 32 || others.length > 0) throw new TypeError('a signature stands over one field element')
  const element = bytesToNumberLE(message)
  if (element >= fieldOrder) throw new RangeError('the message is no field element')
  return Uint8Array.from(packSignature(signMessage(secret, element)))
}
