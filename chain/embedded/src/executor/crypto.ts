import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519'
import { secp256k1 } from '@noble/curves/secp256k1'
import { sr25519Verify } from '@polkadot/wasm-crypto'

/**
 * Verifies by ZIP 215, as nodes do. OpenSSL accepts a part of those signatures in a tenth of the time: only its
 * refusals are checked again. Points with an unusual encoding are hashed in their usual one here: a sender who crafts
 * such a signature for a key of its own is refused where a node would accept it.
 */
export function verifyEd25519Zip215(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return verifyByOpenSsl(signature, message, publicKey) || verifyByZip215(signature, message, publicKey)
}

function verifyByOpenSsl(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    const x = Buffer.from(publicKey).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, message, key, signature)
  } catch {
    return false // not a point of the curve
  }
}

function verifyByZip215(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true })
  } catch {
    return false
  }
}

/** Needs @polkadot/wasm-crypto to be ready; its counterparts in JavaScript take ten times as long. */
export function verifySr25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return sr25519Verify(signature, message, publicKey)
  } catch {
    return false
  }
}

/** The reasons for which no key could be recovered, in the order of the runtime's own enumeration. */
const BAD = { rs: 0, v: 1, signature: 2 } as const

/** Returns the compressed public key that made a signature over a digest, or the reason for which there is none. */
export function recoverSecp256k1(signature: Uint8Array, digest: Uint8Array): Uint8Array | number {
  const last = signature[64] ?? 0
  const recovery = last > 26 ? last - 27 : last
  if (recovery > 3) return BAD.v
  let parsed: InstanceType<typeof secp256k1.Signature>
  try {
    parsed = secp256k1.Signature.fromCompact(signature.subarray(0, 64))
  } catch {
    return BAD.rs
  }
  try {
    return parsed.addRecoveryBit(recovery).recoverPublicKey(digest).toRawBytes(true)
  } catch {
    return BAD.signature
  }
}
