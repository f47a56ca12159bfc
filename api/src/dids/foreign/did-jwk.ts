import { jsonOfBase64Url } from '../../formats/compact/json-text.js'
import { isObject } from '../../formats/json.js'
import { isForSignatures, type PublicKey, publicKeyOfJwk } from '../../formats/keys/json-web-key.js'

const PREFIX = 'did:jwk:'

/**
 * Returns the key inside a did:jwk (https://github.com/quartzjer/did-jwk), which signs unless it is made to encrypt;
 * undefined for a text that is none, and for kinds of keys that verify nothing here.
 */
export function didJwkKey(did: string): { key: PublicKey; signs: boolean } | undefined {
  const jwk = did.startsWith(PREFIX) && did.length <= 2048 ? jsonOfBase64Url(did.slice(PREFIX.length)) : undefined
  const key = isObject(jwk) ? publicKeyOfJwk(jwk) : undefined
  return key && isObject(jwk) ? { key, signs: isForSignatures(jwk) } : undefined
}
