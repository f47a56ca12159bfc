import { isObject, type Json, type JsonObject, textOf } from '../json.js'
import { essentialJwk, isForSignatures, publicKeyOfJwk } from '../keys/json-web-key.js'
import { base64UrlOf } from './base64url.js'
import { malformed } from './jws.js'

/**
 * Returns the DID URL of the key that a confirmation names (`cnf`, RFC 7800): a key that stands in it as the did:jwk
 * that it is; undefined where there is no confirmation.
 * @throws FormatError for one that names no key which can be checked here
 */
export function holderKeyOf(cnf: Json | undefined): string | undefined {
  if (cnf === undefined) return undefined
  const { jwk, kid } = isObject(cnf) ? cnf : {}
  if (jwk !== undefined) return isObject(jwk) ? didUrlOfJwk(jwk) : noKey()
  const id = textOf(kid)
  return id !== undefined && /^did:[^#\s]+#[^#\s]+$/.test(id) ? id : noKey()
}

function didUrlOfJwk(jwk: JsonObject): string {
  if (publicKeyOfJwk(jwk) === undefined || !isForSignatures(jwk)) return noKey()
  return `did:jwk:${base64UrlOf(JSON.stringify(essentialJwk(jwk)))}#0`
}

function noKey(): never {
  throw malformed('its cnf names no public key that can be checked: a jwk (Ed25519, P-256), or a DID URL as kid')
}
