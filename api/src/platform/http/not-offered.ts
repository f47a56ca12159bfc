import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.js'

/** Keeps a name that would otherwise be read as an id: what stands there in the field's other products comes later. */
export function notOfferedYet(app: FastifyInstance, url: string, what: string): void {
  app.get(url, { config: { name: 'notOffered' } }, () => {
    throw new ApiError('not_found', `${what} not offered yet`)
  })
}
