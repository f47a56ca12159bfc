import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { Config, EnvironmentName } from '../../config.js'
import type { Database } from '../database/database.js'
import type { TeamId } from '../database/ids.js'
import type { Role } from '../database/tables.js'
import { ApiError } from '../errors.js'
import { batchLoader } from '../process/batch-loader.js'
import { Attempts, tooMany } from './attempts.js'
import { clientNetwork } from './client-address.js'
import { KEY_PREFIX, type KeyKind } from './key-prefix.js'
import { LastUse } from './last-use.js'
import type { KeyPrincipal, SessionPrincipal, SponsorPrincipal } from './principal.js'
import { RememberedRows } from './remembered-rows.js'

/** Returns the hash that is stored instead of a key. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

export const unauthorized = (message: string): ApiError =>
  new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } })

/**
 * The key of a request: `SVC-API-TOKEN`, a configured alias of it, or `Authorization: Bearer`. Several may be sent when
 * they agree.
 */
export function presentedKey(headers: IncomingHttpHeaders, aliases: readonly string[]): string | undefined {
  const found = new Set<string>()
  for (const name of ['svc-api-token', ...aliases]) {
    for (const value of [headers[name] ?? []].flat()) if (value.trim()) found.add(value.trim())
  }
  const bearer = bearerOf(headers.authorization?.trim() ?? '')
  if (bearer) found.add(bearer)
  if (found.size > 1) throw unauthorized('The request carries two different keys')
  return [...found][0]
}

/** A header with another text still counts: its sender believes to have a key. */
function bearerOf(authorization: string): string | undefined {
  if (authorization === '') return undefined
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized('Authorization must be Bearer and one key')
  return token
}

interface KeyRow {
  id: number
  team_id: TeamId
  kind: KeyKind
  role: Role
  /** The person whose temporary key it is. */
  person: number | null
  ips: string[]
  expires: Date | null
  plan: string | null
}

interface SessionRow {
  id: number
  team_id: TeamId
  user_id: number
  role: Role
  expires: Date
  plan: string | null
}

/** The kinds of secrets that open a request, each in a header of its own. */
export type Secret = 'key' | 'session' | 'sponsor'

/**
 * Returns the principal of a secret, or throws 401; 429 for a wrong one of a network that sent too many. A right one is
 * never refused for others.
 */
export interface Authenticator {
  key(key: string, address: string, now: Date): Promise<KeyPrincipal>
  session(token: string, address: string, now: Date): Promise<SessionPrincipal>
  sponsor(key: string, address: string, now: Date): Promise<SponsorPrincipal>
  /** Stores what is known of the last use of keys. */
  close(): Promise<void>
}

/** The most right keys that are remembered; wrong ones never are. */
const MOST_KEYS = 10_000

/**
 * A key, or a session, is looked up at most once a second: one that ended, on any replica, opens nothing a second later.
 */
export function keyAuthenticator(
  db: Pick<Database, 'call'>,
  { environment, limits }: Pick<Config, 'environment' | 'limits'>,
): Authenticator {
  const wrongKeys = { most: limits.wrongKeysPerMinute, what: 'wrong keys from this address' }
  const attempts = new Attempts()
  const lastUse = new LastUse(db)
  const keys = rowsOf((hashes) => findKeys(db, hashes))
  const sessions = rowsOf((hashes) => findSessions(db, hashes))

  /** Finds the row of a secret that is in use, and counts wrong ones. */
  async function find<Row extends { expires: Date | null }>(
    rows: Rows<Row>,
    { kind, secret, address, now }: { kind: keyof typeof KEY_PREFIX; secret: string; address: string; now: Date },
    isOfKind: (row: Row) => boolean,
  ): Promise<Row> {
    const network = clientNetwork(address)
    const secondsToWait = limits.wrongKeysPerMinute === 0 ? undefined : attempts.count(network, now, wrongKeys)
    const wrong = (error: ApiError): ApiError =>
      secondsToWait === undefined ? error : tooMany(wrongKeys, secondsToWait)
    if (isOfOtherEnvironment(secret, kind, environment))
      throw wrong(
        new ApiError('wrong_environment', `This key belongs to another environment; this one is ${environment}`),
      )
    const row = await (secondsToWait === undefined ? rows.find(hashKey(secret)) : rows.findPatiently(hashKey(secret)))
    if (!row || !isOfKind(row) || (row.expires && row.expires <= now)) throw wrong(unauthorized(NOT_KNOWN[kind]))
    if (secondsToWait === undefined) attempts.succeeded(network)
    return row
  }

  async function findKey(kind: KeyKind, secret: string, address: string, now: Date): Promise<KeyRow> {
    const row = await find(keys, { kind, secret, address, now }, (found) => found.kind === kind)
    if (row.ips.length > 0 && !row.ips.some((entry) => addressMatches(address, entry)))
      throw new ApiError('ip_not_allowed', 'The key may not be used from this address')
    lastUse.note(row.id, now)
    return row
  }

  return {
    async key(secret, address, now) {
      const { id, team_id, role, person, plan } = await findKey('api', secret, address, now)
      return { kind: 'key', keyId: id, team: team_id, role, plan, ...(person !== null && { userId: person }) }
    },
    async sponsor(secret, address, now) {
      const { id, team_id, plan } = await findKey('sponsor', secret, address, now)
      return { kind: 'sponsor', keyId: id, team: team_id, plan }
    },
    async session(secret, address, now) {
      const row = await find(sessions, { kind: 'session', secret, address, now }, () => true)
      const { id, user_id, team_id, role, plan } = row
      return { kind: 'session', sessionId: id, userId: user_id, team: team_id, role, plan }
    },
    close: () => lastUse.close(),
  }
}

const NOT_KNOWN: Record<keyof typeof KEY_PREFIX, string> = {
  api: 'The key is not known',
  sponsor: 'The sponsor key is not known',
  session: 'The session is not known, or is over: sign in again',
  once: 'The token is not known',
}

const isOfOtherEnvironment = (secret: string, kind: keyof typeof KEY_PREFIX, environment: EnvironmentName): boolean =>
  !secret.startsWith(KEY_PREFIX[kind][environment]) &&
  Object.values(KEY_PREFIX[kind]).some((prefix) => secret.startsWith(prefix))

interface Rows<Row> {
  find(hash: Buffer): Promise<Row | undefined>
  findPatiently(hash: Buffer): Promise<Row | undefined>
}

function rowsOf<Row extends object>(lookUp: (hashes: Buffer[]) => Promise<(Row | undefined)[]>): Rows<Row> {
  const known = new RememberedRows<Row>(lookUp, MOST_KEYS)
  return {
    find: (hash) => known.find(hash),
    // Networks with too many wrong keys share one statement at a time: guesses cost the database next to nothing.
    findPatiently: batchLoader(lookUp, { running: 1, most: 500, waiting: 100_000 }),
  }
}

async function findKeys(db: Pick<Database, 'call'>, hashes: Buffer[]): Promise<(KeyRow | undefined)[]> {
  return inOrder(
    hashes.length,
    await db.call(sql<KeyRow & { n: number }>`
      select k.id, k.team_id, k.kind, k.role, k.person, k.ips, k.expires, k.plan, h.n
      from unnest(${hashes}::bytea[]) with ordinality as h (hash, n),
        lateral service.find_api_key(h.hash) k`),
  )
}

async function findSessions(db: Pick<Database, 'call'>, hashes: Buffer[]): Promise<(SessionRow | undefined)[]> {
  return inOrder(
    hashes.length,
    await db.call(sql<SessionRow & { n: number }>`
      select s.*, h.n from unnest(${hashes}::bytea[]) with ordinality as h (hash, n),
        lateral service.find_session(h.hash) s`),
  )
}

/** Returns the rows in the order of the questions, which are numbered from 1. */
function inOrder<Row>(count: number, rows: readonly (Row & { n: number })[]): (Row | undefined)[] {
  const found = new Map<number, Row>(rows.map((row) => [row.n, row]))
  return Array.from({ length: count }, (_, i) => found.get(i + 1))
}

/** Tells whether an address is `entry`, or lies in it if it is a CIDR range; IPv4 mapped to IPv6 counts as IPv4. */
export function addressMatches(address: string, entry: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (ipaddr.isValidCIDR(entry)) {
    const [range, bits] = asIPv4(ipaddr.parseCIDR(entry))
    return range.kind() === parsed.kind() && parsed.match(range, bits)
  }
  return ipaddr.isValid(entry) && ipaddr.process(entry).toNormalizedString() === parsed.toNormalizedString()
}

/** Returns a range of mapped IPv4 addresses as the IPv4 range. */
function asIPv4([range, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range instanceof ipaddr.IPv4 || !range.isIPv4MappedAddress() || bits < 96) return [range, bits]
  return [range.toIPv4Address(), bits - 96]
}
