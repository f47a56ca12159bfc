import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { isSmallOrder } from './small-order.js'

const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')
const MAX_KEYS = 10_000
const keys = new Map<string, KeyObject>()
const verifyInThreadPool = promisify(verify)

/** Importing a key costs more than a signature check, so imported ones are kept (oldest out first). */
function keyOf(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString('base64')
  const known = keys.get(name)
  if (known) return known
  const key = createPublicKey({ key: Buffer.concat([SPKI_ED25519, publicKey]), format: 'der', type: 'spki' })
  if (keys.size >= MAX_KEYS) for (const oldest of keys.keys()) if (keys.delete(oldest)) break
  keys.set(name, key)
  return key
}

/** @param publicKey 32 bytes; anything else, and a key that everybody can sign with, verifies nothing */
export async function verifyEd25519(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  if (isSmallOrder(publicKey) || isSmallOrder(signature.subarray(0, 32))) return false
  return verifyInThreadPool(null, data, keyOf(publicKey), signature)
}
