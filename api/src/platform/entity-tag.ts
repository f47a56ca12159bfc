import { createHash } from 'node:crypto'
import { ApiError } from './errors.js'

/** A strong entity tag (RFC 9110, 8.8.3) of an answer: another one as soon as anything in it is different. */
export const entityTag = (answer: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 27)}"`

/** Whether If-Match (RFC 9110, 13.1.1) names the tag. Our tags hold no comma; a weak one never matches. */
export const isMatch = (ifMatch: string, tag: string): boolean =>
  ifMatch.split(',').some((one) => ['*', tag].includes(one.trim()))

export const changedMeanwhile = (what: string): ApiError =>
  new ApiError('precondition_failed', `${what} is not as If-Match says any more, nothing was changed: read it again`)
