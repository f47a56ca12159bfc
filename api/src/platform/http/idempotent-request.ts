import { parseHex32 } from '@accredit/chain'
import type { FastifyRequest } from 'fastify'
import { prefersStrict } from './input/unknown-members.js'
import type { Operation } from './operation.js'

/** The parts of an operation that tell which of its requests are the same. */
export type Repeated = Pick<Operation, 'url' | 'params' | 'mediaTypes'>

/** Returns the path of a request in one spelling, whatever letters were escaped and however its ids were written. */
export function canonicalPath({ url, params: schema }: Repeated, params: unknown): string {
  const identifiers = identifiersOf(schema)
  return url
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment
      const name = segment.slice(1)
      const value = String(memberOf(params, name))
      return encodeURIComponent(identifiers.has(name) ? (parseHex32(value) ?? value) : value)
    })
    .join('/')
}

/** The parameters that take an id in several spellings. A name that callers chose has one spelling. */
function identifiersOf(schema: unknown): ReadonlySet<string> {
  const properties = Object.entries(Object(memberOf(schema, 'properties')))
  return new Set(properties.filter(([, property]) => memberOf(property, 'x-identifier') !== undefined).map(([n]) => n))
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

type Sent = Pick<FastifyRequest, 'query' | 'body' | 'headers'>

/** Everything that decides the outcome of a request to a path, so that a retry must have the same. */
export function decidingContent(op: Repeated, { query, body, headers }: Sent): unknown[] {
  // A request without a dry run is the same as one that asks for none.
  const parameters = Object.entries(Object(query)).filter(([name]) => name !== 'dryRun')
  parameters.sort(([a], [b]) => (a < b ? -1 : 1))
  const conditions = {
    ifMatch: headers['if-match'],
    isStrict: prefersStrict({ headers }) || undefined,
    mediaType: meaningOf(headers['content-type']),
    accept: op.mediaTypes && headers.accept,
  }
  const content = [Object.fromEntries(parameters), body ?? null]
  return Object.values(conditions).some((value) => value !== undefined) ? [...content, conditions] : content
}

/**
 * JSON, text, forms and no type at all are read alike; a type that says how its JSON is to be applied means something.
 */
function meaningOf(contentType: string | undefined): string | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  return type?.endsWith('+json') ? type : undefined
}
