import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { Config } from '../../config.js'
import type { Database } from '../database/database.js'
import type { TeamId } from '../database/ids.js'
import type { Role } from '../database/tables.js'
import { ApiError } from '../errors.js'
import { batchLoader } from '../process/batch-loader.js'
import { BriefMemory } from '../process/brief-memory.js'
import { Attempts, tooMany } from './attempts.js'
import { clientNetwork } from './client-address.js'
import { KEY_PREFIX } from './key-prefix.js'
import type { Principal } from './principal.js'

/** Returns the hash that is stored instead of a key. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

const unauthorized = (message: string): ApiError =>
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
  role: Role
  ips: string[]
  expires: Date | null
}

export interface Authenticator {
  /**
   * Returns the principal of a key, or throws 401; 429 for a wrong key of a network that sent too many. A right key is
   * never refused for others.
   */
  authenticate(key: string, address: string, now: Date): Promise<Principal>
}

/** The most right keys that are remembered; wrong ones never are. */
const MOST_KEYS = 10_000

/** A key is looked up at most once a second: one that was revoked, on any replica, opens nothing a second later. */
export function keyAuthenticator(
  db: Pick<Database, 'call'>,
  { environment, limits }: Pick<Config, 'environment' | 'limits'>,
): Authenticator {
  const wrongKeys = { most: limits.wrongKeysPerMinute, what: 'wrong keys from this address' }
  const attempts = new Attempts()
  const known = new BriefMemory<KeyRow>(MOST_KEYS)
  const find = (key: string) => known.get(hashKey(key).toString('base64'), async () => (await findKeys(db, [key]))[0])
  // Networks with too many wrong keys share one statement at a time: guesses cost the database next to nothing.
  const findPatiently = batchLoader((keys: string[]) => findKeys(db, keys), { running: 1, most: 500, waiting: 100_000 })

  return {
    async authenticate(key, address, now) {
      const network = clientNetwork(address)
      const secondsToWait = limits.wrongKeysPerMinute === 0 ? undefined : attempts.count(network, now, wrongKeys)
      const wrong = (error: ApiError): ApiError =>
        secondsToWait === undefined ? error : tooMany(wrongKeys, secondsToWait)
      const isOfOther =
        !key.startsWith(KEY_PREFIX.api[environment]) &&
        Object.values(KEY_PREFIX.api).some((prefix) => key.startsWith(prefix))
      if (isOfOther)
        throw wrong(
          new ApiError('wrong_environment', `This key belongs to another environment; this one is ${environment}`),
        )
      const row = await (secondsToWait === undefined ? find(key) : findPatiently(key))
      if (!row || (row.expires && row.expires <= now)) throw wrong(unauthorized('The key is not known'))
      if (secondsToWait === undefined) attempts.succeeded(network)
      if (row.ips.length > 0 && !row.ips.some((entry) => addressMatches(address, entry)))
        throw new ApiError('ip_not_allowed', 'The key may not be used from this address')
      return { kind: 'apiKey', keyId: row.id, team: row.team_id, role: row.role }
    },
  }
}

/** Returns the keys that are known, in the order of the questions. */
async function findKeys(db: Pick<Database, 'call'>, keys: string[]): Promise<(KeyRow | undefined)[]> {
  const rows = await db.call(sql<KeyRow & { n: number }>`
    select k.*, h.n from unnest(${keys.map(hashKey)}::bytea[]) with ordinality as h (hash, n),
      lateral service.find_api_key(h.hash) k`)
  const found = new Map(rows.map(({ n, ...row }) => [n, row]))
  return keys.map((_, i) => found.get(i + 1))
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
