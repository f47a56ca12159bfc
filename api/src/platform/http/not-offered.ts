import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.js'

/**
 * Reserves a path that would otherwise be read as an id: the products of the field have something there that this
 * service may offer later.
 */
export function notOfferedYet(app: FastifyInstance, url: string, what: string): void {
  app.get(url, { config: { name: 'notOffered' } }, () => {
    throw new ApiError('not_found', `${what} not offered yet`)
  })
}
