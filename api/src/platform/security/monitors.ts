import { compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import { clientNetwork } from '../http/admission/client-address.js'

const FORWARDING = ['x-forwarded-for', 'forwarded', 'via']

/**
 * Tells who watches over the service from everybody else, by their addresses.
 * @param ranges as TRUSTED_PROXIES: addresses, networks and names of ranges
 */
export function monitorsAt(ranges: readonly string[]): (request: FastifyRequest) => boolean {
  const isOne = compile([...ranges])
  return (request) => !isThroughStranger(request) && clientNetwork(request.ip) !== UNREADABLE && isOne(request.ip, 0)
}

const UNREADABLE = clientNetwork('')

/** What is known then is the address of a proxy that is not trusted, which is no less private than ours. */
const isThroughStranger = ({ headers, ips = [] }: FastifyRequest): boolean =>
  ips.length < 2 && FORWARDING.some((name) => headers[name] !== undefined)
