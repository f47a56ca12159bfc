import ipaddr from 'ipaddr.js'
import type { Config } from '../config.js'

type Bases = Pick<Config, 'apiUrl' | 'webUrl' | 'schemaUrl'>

/**
 * Whether a URI means a place under one of our public addresses, in whatever spelling: scheme, case, port that goes without
 * saying, escapes, dots, a user's name. Whoever reads ids as addresses ends at the same place, so they are the same id.
 */
export function isOwnAddress({ apiUrl, webUrl, schemaUrl }: Bases, uri: string): boolean {
  const place = placeOf(uri)
  if (place === undefined) return false
  return [apiUrl, webUrl, schemaUrl].some((base) => {
    const own = placeOf(base)
    return own !== undefined && own.host === place.host && isBelow(place.path, own.path)
  })
}

function placeOf(uri: string): { host: string; path: string } | undefined {
  if (!URL.canParse(uri)) return undefined
  const { protocol, hostname, port, pathname } = new URL(uri)
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
  return address.range() === 'loopback' ? 'localhost' : address.toString()
}

/** Escapes may hide further ones, and dots; where they cannot be read the path stays as it is. */
function plain(pathname: string): string {
  let path = pathname
  for (let round = 0; round < 8 && path.includes('%'); round++) {
    try {
      path = new URL(decodeURIComponent(path), 'http://x').pathname
    } catch {
      break
    }
  }
  return path.toLowerCase().replace(/\/+/g, '/')
}

const isBelow = (path: string, base: string): boolean => {
  const folder = base.replace(/\/+$/, '')
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}
