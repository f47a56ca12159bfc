import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The web pages that may speak to a ledger: `LEDGER_ALLOWED_ORIGINS`, none unless set. */
export type AllowedOrigins = readonly string[]

/**
 * Returns the reason for which a request is refused before anything of it is read, or undefined. A browser tells the
 * page that asks (Origin), and the name that it believes this machine to have (Host): a page's own domain may have been
 * pointed here.
 */
export function refusalOf({ headers, method }: IncomingMessage, origins: AllowedOrigins): Refusal | undefined {
  const { origin, host = '' } = headers
  if (origin !== undefined && !origins.includes(origin)) return { status: 403, why: 'this page may not ask the ledger' }
  if (!isOwnName(host)) return { status: 403, why: 'the ledger has no such name' }
  // Pages may send other types anywhere without asking first.
  if (method === 'POST' && !/^application\/json(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, why: 'send application/json' }
  return undefined
}

/**
 * Tells whether a request comes from a process of the product itself: it has the ledger's token as the path of the
 * URL, the one place where all of the product's clients can carry it.
 */
export function isOwnProcess({ url = '' }: IncomingMessage, token: string | undefined): boolean {
  return token !== undefined && timingSafeEqual(digest(url.slice(1)), digest(token))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export interface Refusal {
  status: number
  why: string
}

/** Tells whether a host is an address, or a name that nobody can own in the public system of names. */
function isOwnName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return isIP(name) !== 0 || /^[a-z0-9_-]+$/i.test(name) || /\.(localhost|internal|local)$/i.test(name)
}
