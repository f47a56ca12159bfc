import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The promise of its operation, once that began. */
    handled: Promise<unknown> | undefined
  }
}

/**
 * Calls `done` when nothing is done for a request any more: its answer or its caller has gone, and its operation has
 * ended. A client that closes its connection does not end the work that was begun for it.
 */
export function onceOver(request: FastifyRequest, reply: FastifyReply, call: () => void): void {
  reply.raw.once('close', () => {
    if (request.handled === undefined) call()
    else request.handled.then(call, call)
  })
}

/** @throws if nobody waits for the answer any more: work that has not begun need not begin */
export function requireCaller(reply: FastifyReply): void {
  if (reply.raw.destroyed) throw new ApiError('rate_limited', 'The caller went away before its turn came')
}
