import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { ApiError } from './errors.js'

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

/** TLS ends at the proxy. A request that reached it in plain text is refused, unless it comes from this machine. */
export function refusePlainHttp(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const forwarded = [request.headers['x-forwarded-proto'] ?? []].flat().join(',').split(',')[0]?.trim().toLowerCase()
    if (forwarded === 'http' && !isLoopback(request.ip)) done(new ApiError('invalid_request', 'Use HTTPS'))
    else done()
  })
}
