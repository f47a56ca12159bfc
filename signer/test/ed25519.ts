import { createPublicKey } from 'node:crypto'

/** A public key in hexadecimal, as Node's crypto takes it. */
export function ed25519(publicKey: string) {
  const x = Buffer.from(publicKey.slice(2), 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
