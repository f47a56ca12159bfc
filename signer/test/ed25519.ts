import { createPublicKey } from 'node:crypto'

/** Reads a public key in hexadecimal for Node's crypto. */
export function ed25519(publicKey: string) {
  const x = Buffer.from(publicKey.slice(2), 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
