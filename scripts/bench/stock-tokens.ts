import { createHash, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { jwtVerify, SignJWT } from 'jose'

/** A library that others use, with a key of its own and nothing around it: no HTTP, no store, no status. */
export interface Stock {
  name: string
  issue(claims: Record<string, unknown>): Promise<string>
  verify(token: string): Promise<unknown>
}

const ISSUER = 'did:example:issuer'
const TYPE = 'https://issuer.example/types/degree'

export function stockJwt(): Stock {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    name: 'jose',
    issue: (credentialSubject) =>
      new SignJWT({ vc: { type: ['VerifiableCredential'], credentialSubject } })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setNotBefore('0s')
        .sign(privateKey),
    verify: (token) => jwtVerify(token, publicKey),
  }
}

export function stockSdJwt(): Stock {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const library = new SDJwtVcInstance({
    hasher: (data: string | ArrayBuffer) =>
      createHash('sha256')
        .update(Buffer.from(data as string))
        .digest(),
    hashAlg: 'sha-256',
    saltGenerator: (length: number) => randomBytes(length).toString('base64url'),
    signer: (data: string) => sign(null, Buffer.from(data), privateKey).toString('base64url'),
    signAlg: 'EdDSA',
    verifier: (data: string, signature: string) =>
      verify(null, Buffer.from(data), publicKey, Buffer.from(signature, 'base64url')),
  })
  return {
    name: '@sd-jwt/sd-jwt-vc',
    issue: (claims) =>
      library.issue({ iss: ISSUER, iat: Math.floor(Date.now() / 1000), vct: TYPE, ...claims }, {
        _sd: Object.keys(claims),
      } as never),
    verify: (token) => library.verify(token),
  }
}
