import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

/**
 * The name for every text that cannot be read as an address: a proxy that forwards nonsense opens no way around a
 * limit.
 */
const UNKNOWN = 'unknown'

/** The names of the addresses that called last: each is asked for several times in a request. */
const names = new LRUCache<string, string>({ max: 10_000 })

/**
 * Returns the name that limits count a caller under: an IPv4 address itself, also one mapped into IPv6, and of an IPv6
 * address its /64, since that is what one customer has.
 *
 * @param ip as the trusted proxies tell it: `request.ip`
 */
export function clientNetwork(ip: string): string {
  const known = names.get(ip)
  if (known !== undefined) return known
  const name = nameOf(ip)
  if (ip.length <= LONGEST) names.set(ip, name)
  return name
}

/** The longest text of an address: IPv6 with an IPv4 address in it, and a zone. */
const LONGEST = 64

function nameOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return UNKNOWN
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  const prefix = address.parts.slice(0, 4)
  return `${new ipaddr.IPv6([...prefix, 0, 0, 0, 0]).toString()}/64`
}

/** Returns that name for the caller of a request. */
export const networkOf = ({ address }: { address: string }): string => clientNetwork(address)
