/** Ed25519 and X25519 over raw 32-byte keys; node's crypto is several times faster than the JavaScript ones. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

export type Curve = 'Ed25519' | 'X25519'

/**
 * The key is read as a JWK, which takes the raw bytes: parsing DER costs ten times as much. `x` is asked for, but not
 * read.
 */
function privateKey(curve: Curve, seed: Uint8Array): KeyObject {
  const key = { kty: 'OKP', crv: curve, d: Buffer.from(seed).toString('base64url'), x: '' }
  return createPrivateKey({ key, format: 'jwk' })
}

/** The raw 32-byte public key. */
export function publicKeyOf(curve: Curve, seed: Uint8Array): Buffer {
  const { x } = createPublicKey(privateKey(curve, seed)).export({ format: 'jwk' })
  return Buffer.from(x ?? '', 'base64url')
}

export function signEd25519(seed: Uint8Array, bytes: Uint8Array): Buffer {
  return sign(null, bytes, privateKey('Ed25519', seed))
}
