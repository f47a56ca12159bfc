import { createPublicKey } from 'node:crypto'
import { bytesOfBase64Url } from '../compact/base64url.js'
import type { VerifyingKeyKind } from '../credential-format.js'
import { asArray, type Json, type JsonObject, textOf } from '../json.js'

/** A public key of a kind that can verify. */
export interface PublicKey {
  readonly kind: VerifyingKeyKind
  /** As DIDs have it: 32 bytes, or the compressed point of an elliptic curve. */
  readonly bytes: Uint8Array
}

const CURVES: ReadonlyMap<Json | undefined, { kty: string; kind: VerifyingKeyKind }> = new Map([
  ['Ed25519', { kty: 'OKP', kind: 'Ed25519' }],
  ['P-256', { kty: 'EC', kind: 'P256' }],
  ['secp256k1', { kty: 'EC', kind: 'Secp256k1' }],
])

/** Tells whether a key is made to check signatures (RFC 7517, sections 4.2 and 4.3), where it says what it is made for. */
export const isForSignatures = ({ use, key_ops: operations }: JsonObject): boolean =>
  use !== 'enc' && (operations === undefined || asArray(operations).includes('verify'))

/** Reads a JSON Web Key (RFC 7517); undefined for a private one, and for kinds that verify nothing here. */
export function publicKeyOfJwk(jwk: JsonObject): PublicKey | undefined {
  const curve = CURVES.get(jwk.crv)
  if (curve === undefined || jwk.kty !== curve.kty || 'd' in jwk) return undefined
  const x = coordinate(jwk.x)
  if (x === undefined) return undefined
  if (curve.kty === 'OKP') return { kind: curve.kind, bytes: x }
  const y = coordinate(jwk.y)
  if (y === undefined || !isOnCurve(jwk)) return undefined
  return { kind: curve.kind, bytes: Uint8Array.from([2 + ((y[31] ?? 0) & 1), ...x]) }
}

/** Returns the members that make a key the one that it is (RFC 7638, section 3.2). */
export const essentialJwk = ({ crv, kty, x, y }: JsonObject): JsonObject => ({
  crv: crv ?? null,
  kty: kty ?? null,
  x: x ?? null,
  ...(y !== undefined && { y }),
})

function coordinate(value: Json | undefined): Buffer | undefined {
  const bytes = typeof value === 'string' ? bytesOfBase64Url(value) : undefined
  return bytes?.length === 32 ? bytes : undefined
}

function isOnCurve({ crv, x, y }: JsonObject): boolean {
  try {
    const jwk = { kty: 'EC', crv: textOf(crv) ?? '', x: textOf(x) ?? '', y: textOf(y) ?? '' }
    createPublicKey({ key: jwk, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
