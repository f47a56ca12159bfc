import { isDeepStrictEqual } from 'node:util'
import type { Credential } from '../../formats/credential-format.js'
import { isObject, type Json, type JsonObject } from '../../formats/json.js'

/** A compact token as a tree: its parts as what they encode, and what stands behind it with a `~` each. */
type Opened = JsonObject

const partsOf = (token: string): Json[] => token.split('.').map(decoded)

/** The content of a part: JSON, or else its text. */
function decoded(text: string): Json {
  try {
    const value: Json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return isObject(value) || Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

const encoded = (value: Json | undefined): string =>
  typeof value === 'string' ? value : Buffer.from(JSON.stringify(value ?? null)).toString('base64url')

function openToken(text: string): Opened {
  const [token = '', ...behind] = text.split('~')
  return { token: partsOf(token), behind: behind.map((one) => (one.includes('.') ? partsOf(one) : decoded(one))) }
}

/** A credential of any format as a tree of its members. */
export const opened = (credential: Credential): JsonObject =>
  typeof credential === 'string' ? openToken(credential) : credential

/** The credential of a changed tree; what did not change keeps its text. */
export function closed(original: Credential, tree: JsonObject): Credential {
  if (typeof original !== 'string') return tree
  const [token = '', ...behind] = original.split('~')
  const before = openToken(original)
  return [
    compact(tree.token, before.token, token),
    ...list(tree.behind).map((one, place) => compact(one, list(before.behind)[place], behind[place])),
  ].join('~')
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

function compact(value: Json | undefined, before: Json | undefined, text: string | undefined): string {
  if (text !== undefined && isDeepStrictEqual(value, before)) return text
  const isToken = Array.isArray(before) && text?.includes('.')
  if (!isToken || !Array.isArray(value)) return encoded(value)
  const texts = text?.split('.') ?? []
  return value.map((part, at) => (isDeepStrictEqual(part, before[at]) ? (texts[at] ?? '') : encoded(part))).join('.')
}
