import type { Operation } from '../operation.js'

interface UriRoute {
  method: string
  /** The groups: the part before the URI, the URI, the part after it. */
  pattern: RegExp
}

/**
 * Lets a path parameter be a raw URI: `/schemas/https://host/X.json` is routed as if its id were percent-encoded.
 * Proxies that merge slashes (`https:/host`) are understood too.
 * @returns what rewrites the URL of a request before routing
 */
export function rawUriRewriter(operations: readonly Operation[]): (method: string, url: string) => string {
  const routes = operations.flatMap(uriRoutes).sort((a, b) => b.pattern.source.length - a.pattern.source.length)
  return (method, url) => {
    const [path = '', ...query] = url.split('?')
    if (!/\/https?:\/+/i.test(path)) return url
    for (const route of routes) {
      const [, before, uri, after] = (route.method === method && route.pattern.exec(path)) || []
      if (before === undefined || uri === undefined) continue
      const encoded = encodeURIComponent(decoded(uri.replace(/^(https?:)\/+/i, '$1//')))
      return [`${before}${encoded}${after ?? ''}`, ...query].join('?')
    }
    return url
  }
}

/** One pattern for each parameter of the operation, in which that parameter is a URI. */
function uriRoutes({ method, url }: Operation): UriRoute[] {
  const segments = url.split('/').slice(1)
  return segments.flatMap((segment, at) => {
    if (!segment.startsWith(':')) return []
    const before = segments.slice(0, at).map(segmentPattern).join('')
    const after = segments
      .slice(at + 1)
      .map(segmentPattern)
      .join('')
    return [{ method, pattern: new RegExp(`^(${before}/)(https?:/+.+?)(${after})/?$`, 'i') }]
  })
}

const segmentPattern = (segment: string): string =>
  segment.startsWith(':') ? '/[^/]+' : `/${segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}
