import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'

/** SubjectPublicKeyInfo of a compressed point of secp256k1 (RFC 5480). */
const SPKI = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex')
const verifyInThreadPool = promisify(verify)

/**
 * Verifies ES256K (RFC 8812): ECDSA over SHA-256.
 * @param publicKey 33 bytes, a compressed point; anything else verifies nothing
 * @param signature 64 bytes: r, then s
 */
export async function verifySecp256k1(
  publicKey: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = publicKey.length === 33 && signature.length === 64 ? pointOf(publicKey) : undefined
  if (key === undefined) return false
  return verifyInThreadPool('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

function pointOf(publicKey: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' })
  } catch {
    return undefined // 33 bytes that are no point of the curve
  }
}
