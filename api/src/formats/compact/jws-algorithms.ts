import { compactVerify, errors } from 'jose'
import type { VerifyingKeyKind } from '../credential-format.js'
import { keyObjectOf, verifyEcdsa } from '../keys/key-object.js'
import { isSmallOrder } from '../keys/small-order.js'
import { bytesOfBase64Url } from './base64url.js'

/** An algorithm of JSON Web Signatures that can be checked. */
interface JwsAlgorithm {
  readonly kind: VerifyingKeyKind
  readonly isDeprecated?: true
  verify(token: string, publicKey: Uint8Array): Promise<boolean>
}

const ed25519 = (alg: string): JwsAlgorithm => ({
  kind: 'Ed25519',
  async verify(token, publicKey) {
    const signature = signatureOf(token)
    if (publicKey.length !== 32 || signature?.length !== 64) return false
    if (isSmallOrder(publicKey) || isSmallOrder(signature.subarray(0, 32))) return false
    return verifyByJose(token, alg, publicKey, 'Ed25519')
  },
})

/** The algorithms by their names: RFC 8037, RFC 9864, RFC 7518 and RFC 8812. */
const ALGORITHMS: ReadonlyMap<string, JwsAlgorithm> = new Map([
  ['EdDSA', ed25519('EdDSA')],
  ['Ed25519', ed25519('Ed25519')],
  ['ES256', { kind: 'P256', verify: (token, publicKey) => verifyByJose(token, 'ES256', publicKey, 'P256') }],
  [
    'ES256K',
    {
      kind: 'Secp256k1',
      isDeprecated: true,
      // jose has no secp256k1.
      async verify(token, publicKey) {
        const end = token.lastIndexOf('.')
        const signature = signatureOf(token)
        if (signature?.length !== 64) return false
        return verifyEcdsa('Secp256k1', publicKey, Buffer.from(token.slice(0, end)), signature)
      },
    },
  ],
])

export const jwsAlgorithm = (alg: string): JwsAlgorithm | undefined => ALGORITHMS.get(alg)

const signatureOf = (token: string) => bytesOfBase64Url(token.slice(token.lastIndexOf('.') + 1))

async function verifyByJose(
  token: string,
  alg: string,
  publicKey: Uint8Array,
  kind: VerifyingKeyKind,
): Promise<boolean> {
  const key = keyObjectOf(kind, publicKey)
  if (key === undefined) return false
  try {
    await compactVerify(token, key, { algorithms: [alg] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
