import { holdsKey } from '../security/sent-keys.js'

const REDACTED = '[redacted]'

/** The request, and the route that it found; without one, nothing is known of what its path may hold. */
interface Requested {
  originalUrl: string
  routeOptions: { url?: string | undefined }
  params: unknown
}

/**
 * Returns a URL for a log, from which nothing can be erased: the route, with numbers and ids of the ledger, but with no
 * other id, which may be of a person; and the names of its parameters without their values.
 */
export function loggableUrl({ originalUrl, routeOptions, params }: Requested): string {
  const [path = '', query] = originalUrl.split(/[?#](.*)/s, 2)
  const route = routeOptions.url
  const loggable = route === undefined || route === '*' ? unknownPath(path) : pathOf(route, Object(params))
  return query ? `${loggable}?${query.split(/[&?#]/).map(parameter).join('&')}` : loggable
}

const pathOf = (route: string, params: Readonly<Record<string, unknown>>): string =>
  route
    .split('/')
    .map((segment) => (segment.startsWith(':') ? shownOf(segment, params[segment.slice(1)]) : segment))
    .join('/')

/** The address of a persisted credential is an id of the ledger's form, and one of a person. */
const ADDRESS = ':hex'
const PUBLIC_IDS = /^(\d{1,20}|(0x)?[0-9a-f]{64}|did:svc:\w{1,64})$/i

const shownOf = (segment: string, value: unknown): string =>
  segment !== ADDRESS && typeof value === 'string' && PUBLIC_IDS.test(value) ? value : segment

function unknownPath(path: string): string {
  const [first = '', ...more] = path.split('/').slice(1)
  const shown = /^[\w.-]{0,40}$/.test(first) && !holdsKey(first) ? first : REDACTED
  return more.length > 0 ? `/${shown}/…` : `/${shown}`
}

/** A parameter without a value may be a secret, too: only a text that looks like a name is shown. */
function parameter(member: string): string {
  const [name = '', value] = member.split(/=(.*)/s, 2)
  const told = /^[\w.$[\]-]{0,40}$/.test(name) && !holdsKey(name) ? name : REDACTED
  return value ? `${told}=${REDACTED}` : told
}
