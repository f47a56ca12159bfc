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

/** Returns what signs by a key. The key is read once, which takes as long as a signature. */
export function ed25519Signer(seed: Uint8Array): (bytes: Uint8Array) => Buffer {
  const key = privateKey('Ed25519', seed)
  return (bytes) => sign(null, bytes, key)
}
