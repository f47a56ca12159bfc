import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'
import { parseUrl } from '../parse-url.js'
import { type Address, hostLookup } from './host-lookup.js'

/** The reason for which something was not fetched. It never tells what stands at an address. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused'
}

/** No name server knows an address of the host. */
export class HostUnknown extends FetchRefused {
  constructor() {
    super('the host is unknown')
  }
}

export interface FetchLimits {
  maxBytes: number
  timeoutMs: number
  accept: string
}

/**
 * Fetches the document at a stranger's URL, from public addresses only.
 *
 * @throws FetchRefused
 */
export type GuardedFetch = (url: string, limits: FetchLimits) => Promise<Buffer>

export interface Guard {
  /** Tells whether an address may be connected to, by a protocol as `https:`. */
  isAllowed: (address: string, protocol: string) => boolean
  protocols: readonly string[]
  /** Returns all addresses of a host, and ends when the signal does; default: those that the system knows. */
  lookup?: (host: string, signal: AbortSignal) => Promise<Address[]>
  /** The certificate of the one authority that is trusted, in PEM; default: those that Node trusts. */
  authority?: string
}

const MAX_REDIRECTS = 3

const lookupAll = hostLookup()

function whenAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((done) => signal.addEventListener('abort', () => done(undefined)))
}

/** The IPv6 addresses of the public internet; the rest is reserved, private, or IPv4 in another form. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')

/** The forms of IPv4 in IPv6: as sockets show it, and as translators (NAT64) of an IPv6 network do. */
const TRANSLATED = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.IPv6.parseCIDR(range))

/** ISATAP: the address of an IPv4 host at the end of that of any network. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe

/**
 * Tells whether an address is one of the public internet: global unicast, written in its usual form, and so is the IPv4
 * address inside it where there is one. https://www.iana.org/assignments/iana-ipv6-special-registry
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text).range() === 'unicast'
  // The parser takes ::8.8.8.8 for ::ffff:8.8.8.8, so it is not shown the dotted form.
  return isPublicIPv6(ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1)))
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const inner = ipaddr.fromByteArray(address.toByteArray().slice(12))
  if (TRANSLATED.some((range) => address.match(range))) return inner.range() === 'unicast'
  return address.match(GLOBAL) && address.range() === 'unicast' && (!isIsatap(address) || inner.range() === 'unicast')
}

/** The connection goes to the address that was checked; every redirect is checked again. */
export function guardedFetcher(guard: Guard = { isAllowed: isPublicAddress, protocols: ['https:'] }): GuardedFetch {
  return async (url, limits) => {
    const signal = AbortSignal.timeout(limits.timeoutMs)
    let next = url
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await fetchOnce(await checked(next, guard, signal), limits, signal)
      if (Buffer.isBuffer(answer)) return answer
      next = answer.location
    }
    throw new FetchRefused('too many redirects')
  }
}

export interface Target {
  url: URL
  address: Address
  authority: string | undefined
}

/** Resolves to the address that may be connected to. @throws FetchRefused */
export async function checked(text: string, guard: Guard, signal: AbortSignal): Promise<Target> {
  const { isAllowed, protocols, lookup = lookupAll, authority } = guard
  const url = parseUrl(text)
  if (!url || !protocols.includes(url.protocol)) throw new FetchRefused(`only ${protocols.join(', ')} is fetched`)
  if (url.username !== '' || url.password !== '') throw new FetchRefused('a URL with a password is not fetched')
  const host = url.hostname.replace(/[[\]]/g, '')
  const addresses = await Promise.race([lookup(host, signal).catch(() => []), whenAborted(signal)])
  if (addresses === undefined) throw new FetchRefused('it cannot be reached')
  const [address] = addresses
  if (!address) throw new HostUnknown()
  if (!addresses.every((one) => isAllowed(one.address, url.protocol)))
    throw new FetchRefused('the host has no public address')
  return { url, address, authority }
}

/**
 * Connects to the address that was checked, whatever the name means by then. A request that is broken off leaves behind
 * a connection that is not made yet, which ends after `withinMs` only: so long does closing the dispatcher take then.
 */
export const dispatcherTo = ({ address, authority }: Pick<Target, 'address' | 'authority'>, withinMs: number): Agent =>
  new Agent({
    connections: 1,
    connect: {
      timeout: withinMs,
      lookup: (_host, _options, found) => found(null, [address]),
      ca: authority,
    },
  })

async function fetchOnce(
  { url, address, authority }: Target,
  { maxBytes, timeoutMs, accept }: FetchLimits,
  signal: AbortSignal,
): Promise<Buffer | { location: string }> {
  const dispatcher = dispatcherTo({ address, authority }, timeoutMs)
  try {
    const { statusCode, headers, body } = await request(url, { dispatcher, signal, headers: { accept } })
    const { location } = headers
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      await body.dump()
      return { location: new URL(location, url).href }
    }
    if (statusCode !== 200) throw new FetchRefused(`it answered ${statusCode}`)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxBytes) throw new FetchRefused(`it is larger than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof FetchRefused) throw error
    throw new FetchRefused('it cannot be reached', { cause: error })
  } finally {
    await dispatcher.destroy()
  }
}
