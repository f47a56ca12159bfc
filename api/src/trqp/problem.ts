import { STATUS_CODES } from 'node:http'
import type { ApiError } from '../platform/errors.js'
import type { Refusals } from '../platform/operation.js'

/**
 * RFC 9457, as the protocol's HTTPS binding wants it. `code` is the `type` of the error catalogue, and `message` the detail once
 * more: so clients that know the one error body find what they look for.
 */
export const problems: Refusals = {
  mediaTypes: ['application/problem+json'],
  body: ({ status, type: code, message }: ApiError) =>
    JSON.stringify({
      ...{ type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message },
      ...{ code, message },
    }),
}
