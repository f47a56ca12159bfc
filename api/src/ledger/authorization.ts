import type { Did } from '@accredit/chain'
import { sql } from 'kysely'
import type { At } from './at.js'
import type { IndexReader } from './index-db.js'

export type LedgerRole = 'issuer' | 'verifier'

export const AUTHORIZATION_REASONS = [
  'direct',
  'delegated',
  'public_schema',
  'suspended',
  'delegator_suspended',
  'deactivated',
  'not_listed',
  'unknown_registry',
  'unknown_schema',
] as const

export type AuthorizationReason = (typeof AUTHORIZATION_REASONS)[number]

export interface AuthorizationQuestion {
  /** 0x and 64 hex digits, lower case. */
  registryId: string
  /** Likewise: the schema's hash. */
  schemaId: string
  did: Did
  role: LedgerRole
  at: Pick<At, 'block' | 'time'>
}

export interface Authorization {
  authorized: boolean
  reason: AuthorizationReason
  /** The issuer that delegated: the lowest one, as the chain orders DIDs, through whom it is allowed. */
  via?: string
  /** ISO 8601: when the last of the facts came true that the reason rests on. */
  since?: string
  block: number
  time: string
}

interface Row {
  authorized: boolean
  reason: AuthorizationReason
  via: string | null
  since: Date | null
}

/**
 * Whether a DID may issue or verify a schema in a registry at a point in time. The rule itself (ledger design: the
 * schema must exist; listed, delegated by a listed issuer, or a public schema; never suspended or deactivated) is the
 * SQL function `ledger.authorization_at`, beside the tables that it reads: there is no other.
 */
export async function authorizationAt(
  { db }: { db: IndexReader },
  { registryId, schemaId, did, role, at }: AuthorizationQuestion,
): Promise<Authorization> {
  const { rows } = await sql<Row>`
    select a.authorized, a.reason, a.via, b.time as since
    from ledger.authorization_at(${registryId}, ${schemaId}, ${did}, ${role}, ${at.block}::int) a
    left join ledger.block b on b.height = a.since`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('authorization_at answers one row')
  return {
    authorized: row.authorized,
    reason: row.reason,
    ...(row.via !== null && { via: row.via }),
    ...(row.since !== null && { since: row.since.toISOString() }),
    block: at.block,
    time: at.time.toISOString(),
  }
}
