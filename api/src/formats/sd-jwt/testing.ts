import { createHash } from 'node:crypto'
import { base64UrlOf } from '../compact/base64url.js'
import type { Json } from '../json.js'

/** A disclosure as its parts make it, and its digest. */
export function disclosure(...parts: Json[]): { text: string; digest: string } {
  return encodedDisclosure(JSON.stringify(parts))
}

export function encodedDisclosure(json: string, hash = 'sha256'): { text: string; digest: string } {
  const text = base64UrlOf(json)
  return { text, digest: createHash(hash).update(text).digest('base64url') }
}
