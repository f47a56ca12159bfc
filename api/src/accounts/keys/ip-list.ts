import ipaddr from 'ipaddr.js'
import { invalid } from '../../platform/errors.js'
import type { MemberRule } from '../../platform/http/input/member-rules.js'

/** Tells whether a text is one address, or a range in CIDR form. Short forms as 127.1 are neither. */
export function isAddressOrRange(entry: string): boolean {
  const [address = '', bits] = entry.split('/')
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  // A zone (fe80::1%eth0) is a matter of one machine: no proxy tells it.
  return isAddress && !entry.includes('%') && (bits === undefined || ipaddr.isValidCIDR(entry))
}

/** The most entries of a list: the schema refuses longer ones, and nobody looks at each of theirs. */
export const MOST_IPS = 100

/** The rule for each entry of a list of addresses. */
export function addressRules(ips: unknown): MemberRule[] {
  if (!Array.isArray(ips) || ips.length > MOST_IPS) return []
  return ips.map((value: unknown, index) => ({
    place: ['ips', index],
    value,
    check: () => {
      if (typeof value === 'string' && !isAddressOrRange(value))
        throw invalid(`ips/${index} must be an IPv4 or IPv6 address, or a range as 203.0.113.0/24 or 2001:db8::/32`)
    },
  }))
}
