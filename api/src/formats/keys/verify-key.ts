import { verify } from 'node:crypto'
import { promisify } from 'node:util'
import { keyObjectOf } from './key-object.js'
import { isSmallOrder } from './small-order.js'

const verifyInThreadPool = promisify(verify)

/** @param publicKey 32 bytes; anything else, and a key that everybody can sign with, verifies nothing */
export async function verifyEd25519(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (isSmallOrder(publicKey) || isSmallOrder(signature.subarray(0, 32))) return false
  const key = keyObjectOf('Ed25519', publicKey)
  return key !== undefined && verifyInThreadPool(null, data, key, signature)
}
