import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { VerifyingKeyKind } from '../credential-format.js'

/** The beginning of a SubjectPublicKeyInfo of each kind (RFC 8410; RFC 5480, with compressed points). */
const SPKI: Partial<Record<VerifyingKeyKind, { prefix: Buffer; length: number }>> = {
  Ed25519: { prefix: Buffer.from('302a300506032b6570032100', 'hex'), length: 32 },
  P256: { prefix: Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'), length: 33 },
  Secp256k1: { prefix: Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'), length: 33 },
}

/** Importing a key costs more than a signature check. */
const keys = new LRUCache<string, KeyObject>({ max: 10_000 })
const verifyInThreadPool = promisify(verify)

/** @returns undefined for bytes that are no key of this kind, and for kinds without signatures of one message */
export function keyObjectOf(kind: VerifyingKeyKind, publicKey: Uint8Array): KeyObject | undefined {
  const form = SPKI[kind]
  if (form === undefined || publicKey.length !== form.length) return undefined
  const name = `${kind} ${Buffer.from(publicKey).toString('base64')}`
  const known = keys.get(name)
  if (known) return known
  try {
    const key = createPublicKey({ key: Buffer.concat([form.prefix, publicKey]), format: 'der', type: 'spki' })
    keys.set(name, key)
    return key
  } catch {
    // The point is not on the curve.
    return undefined
  }
}

/** Checks an ECDSA signature with SHA-256. @param signature r and s, 64 bytes */
export async function verifyEcdsa(
  kind: 'P256' | 'Secp256k1',
  publicKey: Uint8Array,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = keyObjectOf(kind, publicKey)
  return key !== undefined && verifyInThreadPool('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
}
