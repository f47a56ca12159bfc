import { sr25519Verify } from '@polkadot/util-crypto'

/**
 * Verifies a Schnorr signature of schnorrkel in the context `substrate`.
 * @param publicKey 32 bytes; anything else, and the identity, which everybody can sign for, verifies nothing
 */
export async function verifySr25519(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64 || publicKey.every((byte) => byte === 0)) return false
  try {
    return sr25519Verify(data, signature, publicKey)
  } catch {
    return false // bytes that are no point or no scalar
  }
}
