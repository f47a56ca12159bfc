import ipaddr from 'ipaddr.js'
import type { Config } from '../../config.js'
import { parseUrl } from '../http/input/parse-url.js'

export type Bases = Pick<Config, 'apiUrl' | 'webUrl' | 'schemaUrl'>

/**
 * Tells whether a URI means a place under one of our public addresses, in any spelling: scheme, case, default port,
 * escapes, dots, a user's name. Readers that take ids as addresses end at the same place, so they are the same id.
 */
export const isOwnAddress = (bases: Bases, uri: string): boolean => ownPath(bases, uri) !== undefined

/** Returns the path of a URI below our public address, in small letters, without escapes; undefined for other URIs. */
export function ownPath({ apiUrl, webUrl, schemaUrl }: Bases, uri: string): string | undefined {
  const place = placeOf(uri)
  if (place === undefined) return undefined
  for (const base of [apiUrl, webUrl, schemaUrl]) {
    const own = placeOf(base)
    if (own !== undefined && own.host === place.host && isBelow(place.path, own.path))
      return place.path.slice(folderOf(own.path).length)
  }
  return undefined
}

function placeOf(uri: string): { host: string; path: string } | undefined {
  const url = parseUrl(uri)
  if (url === undefined) return undefined
  const { protocol, hostname, port, pathname } = url
  if (protocol !== 'http:' && protocol !== 'https:') return undefined
  return { host: `${hostOf(hostname)}:${port}`, path: plain(pathname) }
}

/** A machine has several names for itself. */
function hostOf(hostname: string): string {
  const name = hostname.replace(/\.+$/, '')
  const bare = name.replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return 'localhost'
  if (!ipaddr.isValid(bare)) return name
  const address = ipaddr.process(bare)
  // Requests to the unspecified address arrive here too.
  return ['loopback', 'unspecified'].includes(address.range()) ? 'localhost' : address.toString()
}

/** Escapes may hide further ones, and dots; where they cannot be read the path stays the same. */
function plain(pathname: string): string {
  let path = pathname
  for (let round = 0; round < 8 && path.includes('%'); round++) {
    try {
      // Two slashes at the beginning would make a host of the rest.
      path = new URL(decodeURIComponent(path).replace(/^[/\\]+/, '/'), 'http://x').pathname
    } catch {
      break
    }
  }
  return path.toLowerCase().replace(/\/+/g, '/')
}

const folderOf = (base: string): string => base.replace(/\/+$/, '')

const isBelow = (path: string, base: string): boolean => {
  const folder = folderOf(base)
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}
