import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { invalid } from '../../errors.js'
import type { Operation } from '../operation.js'
import { fieldsOf } from './json-schema.js'

interface UriRoute {
  method: string
  /** The groups: the part before the URI, the URI, the part after it. */
  pattern: RegExp
  parameters: ReadonlySet<string>
}

interface RewrittenUrl {
  url: string
  /** Why the URI in the path might be another one than the caller means. */
  doubt?: string
}

/**
 * Lets a path parameter be a raw URI: `/schemas/https://host/X.json` is routed as if its id were percent-encoded.
 * Proxies that merge slashes (`https:/host`) are understood too. A URI that could be read in two ways is doubtful:
 * whoever acts on it might act on another's thing.
 * @returns what rewrites the URL of a request before routing
 */
export function rawUriRewriter(operations: readonly Operation[]): (method: string, url: string) => RewrittenUrl {
  const routes = operations.flatMap(uriRoutes).sort((a, b) => b.pattern.source.length - a.pattern.source.length)
  return (method, url) => {
    const [path = '', ...query] = url.split('?')
    if (!/\/https?:\/+/i.test(path)) return { url }
    const readings = routes.flatMap((route) => (route.method === method ? readingOf(route, path) : []))
    const [reading] = readings
    if (reading === undefined) return { url }
    const { before, uri, after, parameters } = reading
    const encoded = encodeURIComponent(uri.replace(/^(https?:)\/+/i, '$1//'))
    const doubt = readings.some((other) => other.uri !== uri)
      ? 'it could end at more than one place'
      : doubtOf(reading, query.join('?'), parameters)
    return { url: [`${before}${encoded}${after}`, ...query].join('?'), ...(doubt !== undefined && { doubt }) }
  }
}

/** Rewrites requests before routing, and refuses those whose URI is doubtful. */
export function rawUris(operations: readonly Operation[]) {
  const rewrite = rawUriRewriter(operations)
  const doubts = new WeakMap<IncomingMessage, string>()
  return {
    rewriteUrl(request: IncomingMessage): string {
      const { url, doubt } = rewrite(request.method ?? 'GET', request.url ?? '/')
      if (doubt !== undefined) doubts.set(request, doubt)
      return url
    },
    refuseDoubtful(app: FastifyInstance): void {
      app.addHook('onRequest', (request, _reply, done) => {
        const doubt = doubts.get(request.raw)
        if (doubt === undefined) done()
        else
          done(
            invalid(`The URI in the address is not clear: ${doubt}. Percent-encode all of it, / as %2F and % as %25`),
          )
      })
    },
  }
}

interface Reading {
  before: string
  uri: string
  after: string
  isSlashAtEnd: boolean
  parameters: ReadonlySet<string>
}

function readingOf({ pattern, parameters }: UriRoute, path: string): Reading[] {
  const [, before, uri, after = '', slash] = pattern.exec(path) ?? []
  if (before === undefined || uri === undefined) return []
  return [{ before, uri, after, isSlashAtEnd: after === '' && slash === '/', parameters }]
}

function doubtOf({ uri, isSlashAtEnd }: Reading, query: string, parameters: ReadonlySet<string>): string | undefined {
  if (uri.includes('%')) return 'it holds a %, and may be encoded or not'
  if (isSlashAtEnd) return 'the / at its end may be part of it or not'
  const unknown = [...new URLSearchParams(query).keys()].find((name) => !parameters.has(name))
  if (unknown !== undefined) return `what follows the ? is no parameter of this operation, and may be part of it`
  return undefined
}

/** One pattern for each parameter of the operation, in which that parameter is a URI. */
function uriRoutes({ method, url, querystring }: Operation): UriRoute[] {
  const segments = url.split('/').slice(1)
  const parameters = new Set([...Object.keys(fieldsOf(fieldsOf(querystring).properties)), 'dryRun'])
  return segments.flatMap((segment, at) => {
    if (!segment.startsWith(':')) return []
    const before = segments.slice(0, at).map(segmentPattern).join('')
    const after = segments
      .slice(at + 1)
      .map(segmentPattern)
      .join('')
    return [{ method, pattern: new RegExp(`^(${before}/)(https?:/+.+?)(${after})(/?)$`, 'i'), parameters }]
  })
}

const segmentPattern = (segment: string): string =>
  segment.startsWith(':') ? '/[^/]+' : `/${segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`
