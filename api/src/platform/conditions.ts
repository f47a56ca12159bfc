import type { FastifyRequest } from 'fastify'
import { invalid } from './errors.js'
import type { Described } from './operation.js'

/** RFC 9110, section 13.1: what must hold for a request that changes something. If-Modified-Since is for reading alone. */
const CONDITIONS = ['If-Match', 'If-None-Match', 'If-Unmodified-Since']

/** A condition that nobody looks at must not look as if it held. @throws 400 */
export function refuseConditions(op: Pick<Described, 'method' | 'tagged'>, { headers }: FastifyRequest): void {
  if (op.method === 'GET') return
  const looked = op.tagged ? ['If-Match'] : []
  const unlooked = CONDITIONS.find((name) => headers[name.toLowerCase()] !== undefined && !looked.includes(name))
  if (unlooked !== undefined) throw invalid(`${unlooked} cannot be checked here, so nothing was done`)
}
