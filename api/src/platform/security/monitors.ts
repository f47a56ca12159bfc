import { compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import { clientNetwork } from './client-address.js'

const FORWARDING = ['x-forwarded-for', 'forwarded', 'via']

/**
 * Tells the monitors of the service from other clients, by their addresses.
 * @param ranges as TRUSTED_PROXIES: addresses, networks and names of ranges
 */
export function monitorsAt(ranges: readonly string[]): (request: FastifyRequest) => boolean {
  const isOne = compile([...ranges])
  return (request) => !isThroughStranger(request) && clientNetwork(request.ip) !== UNREADABLE && isOne(request.ip, 0)
}

const UNREADABLE = clientNetwork('')

/** Tells whether only the address of an untrusted proxy is known, which is no less private than ours. */
const isThroughStranger = ({ headers, ips = [] }: FastifyRequest): boolean =>
  ips.length < 2 && FORWARDING.some((name) => headers[name] !== undefined)
