import type { JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V1 } from '../../formats/json-ld/contexts/known-contexts.js'
import { type TestKey, testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { timeOf } from '../testing.js'

/** The issuer of the tokens. */
export const key = testKey()
export const seconds = (block: number): number => Math.floor(timeOf(block).getTime() / 1000)

export const header = (of: TestKey = key): JsonObject => ({ alg: 'EdDSA', typ: 'JWT', kid: of.keyId })
export const id = 'https://issuer.example/credentials/1'
export const vc: JsonObject = {
  '@context': [CREDENTIALS_V1],
  type: ['VerifiableCredential', 'UniversityDegreeCredential'],
  credentialSubject: { degree: 'M.Sc. Physics' },
}
export const payload: JsonObject = {
  iss: key.did,
  sub: 'did:example:graduate',
  jti: id,
  nbf: seconds(40),
  exp: seconds(500),
  vc,
}
/** A credential with other members of the payload, and of `vc`. */
export const token = (more: JsonObject = {}, ofVc: JsonObject = {}, by = key): Promise<string> =>
  signedToken(header(), { ...payload, ...more, vc: { ...vc, ...ofVc } }, by)
