import ipaddr from 'ipaddr.js'

/** The name for every text that cannot be read as an address. */
const UNKNOWN = 'unknown'

/**
 * Returns the name that bounds count a connection under: its IPv4 address, also in IPv6 form, and of an IPv6 address
 * the /64, which one customer has.
 * As that of `api/src/platform/security`: two packages need it, and `@accredit/process` takes what three do.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return UNKNOWN
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
