import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.js'

/** Refuses what still arrives on an open connection once the service ends, in the form of every other refusal. */
export function refuseWhileStopping(app: FastifyInstance): void {
  let stops = false
  app.addHook('preClose', async () => {
    stops = true
  })
  app.addHook('onRequest', async () => {
    if (stops) throw new ApiError('unavailable', 'This process ends: ask again.')
  })
}
