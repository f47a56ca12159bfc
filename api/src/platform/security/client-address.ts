import ipaddr from 'ipaddr.js'

/**
 * The name for every text that cannot be read as an address: a proxy that forwards nonsense opens no way around a
 * limit.
 */
const UNKNOWN = 'unknown'

/**
 * Returns the name that limits count a caller under: an IPv4 address itself, also one mapped into IPv6, and of an IPv6
 * address its /64, since that is what one customer has.
 *
 * @param ip as the trusted proxies tell it: `request.ip`
 */
export function clientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return UNKNOWN
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const prefix = address.parts.slice(0, 4)
  return `${new ipaddr.IPv6([...prefix, 0, 0, 0, 0]).toString()}/64`
}

/** Returns that name for the caller of a request. */
export const networkOf = ({ address }: { address: string }): string => clientNetwork(address)
