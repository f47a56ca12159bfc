import { createHash } from 'node:crypto'
import { ApiError, invalid } from '../../errors.js'

/** Returns a strong entity tag (RFC 9110, 8.8.3) of an answer: it differs as soon as anything in the answer does. */
export const entityTag = (answer: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 27)}"`

const tags = new WeakMap<object, string>()

/** Returns the same of an answer that is kept, and that nobody changes: it is worked out once. */
export function keptEntityTag(answer: Readonly<object>): string {
  const tag = tags.get(answer) ?? entityTag(answer)
  tags.set(answer, tag)
  return tag
}

const ONE_TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
// The pattern fits no text in two ways, so that a match takes time linear in the text.
const LIST = new RegExp(String.raw`^[\t ,]*${ONE_TAG}(?:[\t ]*,[\t ,]*${ONE_TAG})*[\t ,]*$`)

/**
 * Returns the tags that a condition names (RFC 9110, 13.1.1 and 13.1.2); `*` stands for any.
 *
 * @throws 400 for a text that is neither
 */
export function namedTags(name: string, value: string): '*' | string[] {
  if (value.trim() === '*') return '*'
  if (!LIST.test(value)) throw invalid(`${name} must be * alone, or entity tags in quotes, parted by commas`)
  return value.match(new RegExp(ONE_TAG, 'g')) ?? []
}

/** Tells whether If-Match names the current tag; a weak one never matches. */
export function isMatch(ifMatch: string, tag: string | undefined): boolean {
  const named = namedTags('If-Match', ifMatch)
  return named === '*' || (tag !== undefined && named.includes(tag))
}

/** Tells whether If-None-Match names it, also as a weak tag: then the reader has it already. */
export function isKnown(ifNoneMatch: string, tag: string | undefined): boolean {
  const named = namedTags('If-None-Match', ifNoneMatch)
  return named === '*' || named.some((one) => one.replace(/^W\//, '') === tag)
}

export const changedMeanwhile = (what: string): ApiError =>
  new ApiError('precondition_failed', `${what} is not as If-Match says any more, nothing was changed: read it again`)
