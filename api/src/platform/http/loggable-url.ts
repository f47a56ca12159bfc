import { holdsKey } from '../security/sent-keys.js'

const REDACTED = '[redacted]'

/** Returns a URL for a log: its path without keys, and the names of its parameters without their values. */
export function loggableUrl(url: string): string {
  const [path = '', query] = url.split(/[?#](.*)/s, 2)
  const loggable = path.split('/').map(withoutKeys).join('/')
  return query ? `${loggable}?${query.split(/[&?#]/).map(parameter).join('&')}` : loggable
}

/** A parameter without a value may be a secret, too: only a text that looks like a name is shown. */
function parameter(member: string): string {
  const [name = '', value] = member.split(/=(.*)/s, 2)
  const told = /^[\w.$[\]-]{0,40}$/.test(name) && !holdsKey(name) ? name : REDACTED
  return value ? `${told}=${REDACTED}` : told
}

const withoutKeys = (segment: string): string => (holdsKey(decoded(segment)) ? REDACTED : segment)

/** The router decodes, so `%61k_test_` is the beginning of a key. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
