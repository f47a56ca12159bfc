import { base64UrlOf } from '../compact/base64url.js'
import type { JsonObject } from '../json.js'
import type { TestKey } from '../json-ld/testing.js'

type Part = JsonObject | string

/** A compact JWS of any parts; a text stands as it is. */
export async function signedToken(header: Part, payload: Part, key: Pick<TestKey, 'sign'>): Promise<string> {
  const signed = [header, payload].map((part) => base64UrlOf(typeof part === 'string' ? part : JSON.stringify(part)))
  const message = signed.join('.')
  return `${message}.${base64UrlOf(await key.sign(Buffer.from(message)))}`
}
