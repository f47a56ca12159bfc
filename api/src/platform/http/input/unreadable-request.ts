import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../../errors.js'
import type { Environment } from '../context.js'

/** The codes of the HTTP parser, and the errors that callers get for them. */
const REASONS: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError(
    'headers_too_large',
    'The address and the headers of a request have 16,384 bytes together at most: send what is long in a body',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request did not come in time'),
}
const NO_HTTP = new ApiError('invalid_request', 'This is not a request of HTTP/1.1')

export const TOO_SLOW = new ApiError('request_timeout', 'The body comes too slowly')

/** Returns the function that refuses bytes that are no readable request, in the one error body. */
export function unreadableRefusal({ random, log }: Pick<Environment, 'random' | 'log'>) {
  return ({ code }: Error & { code?: string }, socket: Socket): void => {
    // A connection that broke off has no reader of an answer.
    if (code === 'ECONNRESET') return
    const [error, reqId] = [REASONS[code ?? ''] ?? NO_HTTP, random.uuid()]
    log.debug({ reqId, code, type: error.type }, 'request refused')
    endWith(socket, error, reqId)
  }
}

/** Writes the refusal while the request still arrives, and ends the connection. */
export function endWith(socket: Socket, error: ApiError, requestId: string): void {
  if (socket.destroyed) return
  const body = JSON.stringify(error.body())
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'Access-Control-Allow-Origin: *',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
