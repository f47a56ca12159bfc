import { parseUrl } from '../../platform/parse-url.js'

const PREFIX = 'did:web:'
/** A name of a host with a domain, in ASCII; never an address. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?::[1-9]\d{0,4})?$/i
const SEGMENT = /^[\w.~!$&'()*+,;=-]+$/

/**
 * Returns the address of the document of a did:web (https://w3c-ccg.github.io/did-method-web/); undefined for a text
 * that is none. What stands in it decoded is one host, and names of folders below it: nothing that a URL reads as a user,
 * another host, an address or a step upwards.
 */
export function didWebUrl(did: string): string | undefined {
  if (!did.startsWith(PREFIX) || did.length > 512) return undefined
  const [host, ...path] = did.slice(PREFIX.length).split(':').map(decoded)
  if (host === undefined || !HOST.test(host) || !path.every(isName)) return undefined
  const folder = path.length === 0 ? '.well-known' : path.join('/')
  const url = parseUrl(`https://${host}/${folder}/did.json`)
  return url?.host === host.toLowerCase().replace(/:443$/, '') ? url.href : undefined
}

const isName = (segment: string | undefined): boolean =>
  segment !== undefined && SEGMENT.test(segment) && segment !== '.' && segment !== '..'

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
