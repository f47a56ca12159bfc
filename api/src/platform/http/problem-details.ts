import { STATUS_CODES } from 'node:http'
import { Type } from 'typebox'
import type { ApiError } from '../errors.js'
import type { Refusals } from './operation.js'

/** The members of a problem document. */
export const PROBLEM = {
  type: Type.String({ description: 'about:blank: the status and code tell' }),
  title: Type.String({ description: 'The status in words' }),
  status: Type.Integer({ description: 'The status of the answer once more' }),
  detail: Type.String({ description: 'The reason, for people' }),
  code: Type.String({ description: 'Of the catalogue at /docs/errors', examples: ['not_found'] }),
  message: Type.String({ description: 'The detail once more' }),
}

/** @returns the members of `PROBLEM` */
export const problemOf = ({ status, type: code, message }: ApiError) => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail: message,
  code,
  message,
})

/**
 * Problem details of RFC 9457, which protocols require. `code` is the `type` of the error catalogue, and `message`
 * repeats the detail: clients that know the one error body find its members.
 */
export const problems: Refusals = {
  mediaTypes: ['application/problem+json'],
  schema: Type.Object(PROBLEM, { description: 'A problem document (RFC 9457)' }),
  body: (error) => JSON.stringify(problemOf(error)),
}
