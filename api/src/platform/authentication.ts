import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import type { EnvironmentName } from '../config.js'
import type { Principal } from './context.js'
import type { Database } from './database/database.js'
import type { Role } from './database/tables.js'
import { ApiError } from './errors.js'
import type { TeamId } from './ids.js'

export const KEY_PREFIX: Record<EnvironmentName, string> = { sandbox: 'ak_test_', production: 'ak_live_' }

/** What is stored of a key: never the key. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

const unauthorized = (message: string): ApiError =>
  new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } })

/**
 * The key of a request: `SVC-API-TOKEN`, a configured alias of it, or `Authorization: Bearer`. Several may be sent when they agree.
 */
export function presentedKey(headers: IncomingHttpHeaders, aliases: readonly string[]): string | undefined {
  const found = new Set<string>()
  for (const name of ['svc-api-token', ...aliases]) {
    for (const value of [headers[name] ?? []].flat()) if (value.trim()) found.add(value.trim())
  }
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer) found.add(bearer)
  if (found.size > 1) throw unauthorized('The request carries two different keys')
  return [...found][0]
}

interface KeyRow {
  id: number
  team_id: TeamId
  role: Role
  ips: string[]
  expires: Date | null
}

export interface Authenticator {
  /** The principal of a key, or 401. */
  authenticate(key: string, address: string, now: Date): Promise<Principal>
}

export function keyAuthenticator(db: Database, environment: EnvironmentName): Authenticator {
  return {
    async authenticate(key, address, now) {
      if (
        !key.startsWith(KEY_PREFIX[environment]) &&
        Object.values(KEY_PREFIX).some((prefix) => key.startsWith(prefix))
      )
        throw new ApiError('wrong_environment', `This key belongs to another environment; this one is ${environment}`)
      const [row] = await db.call(sql<KeyRow>`select * from service.find_api_key(${hashKey(key)})`)
      if (!row || (row.expires && row.expires <= now)) throw unauthorized('The key is not known')
      if (row.ips.length > 0 && !row.ips.some((entry) => addressMatches(address, entry)))
        throw new ApiError('ip_not_allowed', 'The key may not be used from this address')
      return { kind: 'apiKey', keyId: row.id, team: row.team_id, role: row.role }
    },
  }
}

/** Whether an address is `entry`, or lies in it when `entry` is a CIDR range; IPv4 in IPv6 clothes counts as IPv4. */
export function addressMatches(address: string, entry: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (ipaddr.isValidCIDR(entry)) {
    const [range, bits] = ipaddr.parseCIDR(entry)
    return range.kind() === parsed.kind() && parsed.match(range, bits)
  }
  return ipaddr.isValid(entry) && ipaddr.process(entry).toNormalizedString() === parsed.toNormalizedString()
}
