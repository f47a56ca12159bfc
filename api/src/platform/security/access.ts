import type { IncomingHttpHeaders } from 'node:http'
import { isAtLeast, type Role } from '../database/tables.js'
import { ApiError } from '../errors.js'
import { type Authenticator, presentedKey, type Secret, unauthorized } from './authentication.js'
import { type Principal, PUBLIC } from './principal.js'

/**
 * The callers that an operation serves.
 * - key: an API key is needed
 * - account: an API key, or a person's session
 * - session: a person's session
 * - signIn: a session is used when sent
 * - optional: an API key is used when sent
 * - sponsor: a sponsor's key
 * - public: nothing is needed, and nothing is looked at
 */
export type Auth = 'key' | 'account' | 'session' | 'signIn' | 'optional' | 'sponsor' | 'public'

export const ACCEPTS: Readonly<Record<Auth, readonly (Secret | 'nothing')[]>> = {
  key: ['key'],
  account: ['key', 'session'],
  session: ['session'],
  signIn: ['session', 'nothing'],
  optional: ['key', 'nothing'],
  sponsor: ['sponsor'],
  public: [],
}

/** Tells whether an operation serves nobody whom it does not know. */
export const needsCaller = (auth: Auth): boolean => auth !== 'public' && !ACCEPTS[auth].includes('nothing')

const NAMES: Record<Secret, string> = { key: 'an API key', session: 'a session', sponsor: "a sponsor's key" }

interface Asked {
  headers: IncomingHttpHeaders
  /** The caller's address, as the trusted proxies tell it. */
  address: string
  now: Date
  /** Further headers that carry an API key. */
  aliases: readonly string[]
}

export interface Admitted {
  principal: Principal
  /** The key or session as it was sent; absent for a public caller. Never logged. */
  secret?: string
}

/**
 * Decides who calls, and whether an operation serves the caller. It costs at most the one look-up of the secret.
 *
 * @throws 401 for a missing or wrong secret, and for one of a kind that the operation does not take; 403 for a role that
 *   is too small
 */
export async function admit(
  { auth, role }: { auth: Auth; role?: Role | undefined },
  authenticator: Authenticator,
  { headers, address, now, aliases }: Asked,
): Promise<Admitted> {
  const accepts = ACCEPTS[auth]
  if (auth === 'public') return { principal: PUBLIC }
  const sent = secretsOf(headers, auth, aliases)
  const [first, second] = sent
  if (second !== undefined) throw unauthorized('The request carries several kinds of keys: send one of them')
  if (first === undefined) {
    if (accepts.includes('nothing')) return { principal: PUBLIC }
    throw unauthorized(`${capital(needed(accepts))} is needed`)
  }
  const [kind, secret] = first
  if (!accepts.includes(kind)) throw unauthorized(`This needs ${needed(accepts)}; ${NAMES[kind]} does not open it`)
  const principal = await authenticator[kind](secret, address, now)
  if (role !== undefined && principal.kind !== 'sponsor' && !isAtLeast(principal.role, role))
    throw new ApiError('forbidden', `This needs the role ${role}`)
  return { principal, secret }
}

function secretsOf(headers: IncomingHttpHeaders, auth: Auth, aliases: readonly string[]): [Secret, string][] {
  // Beside a sponsor's key, Authorization carries what the wallet's DID signed.
  const key = auth === 'sponsor' ? undefined : presentedKey(headers, aliases)
  const given: [Secret, string | undefined][] = [
    ['key', key],
    ['session', textOf(headers['svc-web-token'])],
    ['sponsor', textOf(headers['x-mobile-sponsor-key'])],
  ]
  return given.flatMap(([kind, secret]) => (secret === undefined ? [] : [[kind, secret]]))
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  [value ?? ''].flat().join().trim() || undefined

const needed = (accepts: readonly (Secret | 'nothing')[]): string =>
  accepts.flatMap((kind) => (kind === 'nothing' ? [] : [NAMES[kind]])).join(' or ')

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
