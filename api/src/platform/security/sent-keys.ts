import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '../http/errors.js'
import { KEY_PREFIX } from './key-prefix.js'

/** Headers of which each carries one key or token. */
const KEY_HEADERS = ['authorization', 'svc-api-token', 'svc-web-token', 'x-mobile-sponsor-key']

const KEY_BEGINNING = new RegExp(Object.values(KEY_PREFIX).flatMap(Object.values).join('|'), 'i')

/** The beginning of our own keys, wherever it stands in a text. */
export const holdsKey = (text: string): boolean => KEY_BEGINNING.test(text)

/** The parameters in which callers of other services send keys, letters alone. `token` is an invitation. */
const KEY_PARAMETERS = ['apikey', 'authorization', 'accesstoken', 'bearer']

/** Refuses requests whose key is not one, or stands where logs of proxies and histories of browsers keep it. */
export function refuseStrayKeys(app: FastifyInstance, aliases: readonly string[]): void {
  const headers = new Set([...KEY_HEADERS, ...aliases])
  const parameters = new Set([...KEY_PARAMETERS, ...[...headers].map(lettersOf)])
  app.addHook('onRequest', (request, _reply, done) => {
    const twice = repeatedHeader(request.raw.rawHeaders, headers)
    if (twice !== undefined) done(invalid(`The request carries more than one ${twice} header: send one`))
    else if (hasKeyInQuery(request, parameters))
      done(invalid('A key does not belong into the URL, which logs keep: send it in the header SVC-API-TOKEN'))
    else done()
  })
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')

/** Node keeps the first of some repeated headers and joins others, so that nobody sees the second. */
function repeatedHeader(raw: readonly string[], watched: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase()
    if (!watched.has(name)) continue
    if (seen.has(name)) return raw[at]
    seen.add(name)
  }
  return undefined
}

function hasKeyInQuery({ query }: FastifyRequest, parameters: ReadonlySet<string>): boolean {
  if (typeof query !== 'object' || query === null) return false
  return Object.entries(query).some(
    ([name, value]) =>
      parameters.has(lettersOf(name)) || holdsKey(name) || [value].flat().some((one) => holdsKey(String(one))),
  )
}
