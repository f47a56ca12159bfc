import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

export interface Address {
  address: string
  family: number
}

/** The time of one attempt, of which there are two, since a packet may be lost. */
const ATTEMPT_MS = 1_500
const HOSTS = '/etc/hosts'

/**
 * Returns what finds all addresses of a host, and ends when the signal does. The system's own lookup cannot be stopped:
 * it holds one of the few threads of this process until the name server answers, and whatever waits for a thread waits
 * with it.
 *
 * @param servers name servers; default: the system's
 */
export const hostLookup =
  (servers?: readonly string[]) =>
  async (host: string, signal: AbortSignal): Promise<Address[]> => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    const name = host.replace(/\.$/, '').toLowerCase()
    // No name server has to be asked for these (RFC 6761).
    if (/(?:^|\.)invalid$/.test(name)) return []
    if (/(?:^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1'].map(asAddress)
    const local = await localAddresses(name)
    return local.length > 0 ? local : asked(name, signal, servers)
  }

const asAddress = (address: string): Address => ({ address, family: isIP(address) })

/** The addresses that this machine's own list gives to a name. */
async function localAddresses(name: string): Promise<Address[]> {
  const text = await readFile(HOSTS, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().toLowerCase().split(/\s+/)
    return isIP(address) !== 0 && names.includes(name) ? [asAddress(address)] : []
  })
}

async function asked(name: string, signal: AbortSignal, servers: readonly string[] | undefined): Promise<Address[]> {
  if (signal.aborted) return []
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 })
  if (servers) resolver.setServers(servers)
  const stop = () => resolver.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap((part) => (part.status === 'fulfilled' ? part.value.map(asAddress) : []))
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
