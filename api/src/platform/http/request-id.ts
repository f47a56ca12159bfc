import type { FastifyInstance, FastifyRequest } from 'fastify'

const SENT_ID = /^[\x21-\x7e]{1,128}$/

/**
 * The id that the caller gave the request, for finding it again in the log. It is no identity: two requests may have
 * the same.
 */
export function sentRequestId({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && SENT_ID.test(sent) ? sent : undefined
}

/** Every answer names its request: by the caller's id, otherwise by that of the log. */
export function nameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-ID', sentRequestId(request) ?? request.id)
    done()
  })
}
