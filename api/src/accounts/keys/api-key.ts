import { type SqlBool, sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Role } from '../../platform/database/tables.js'
import { tellJournal } from '../../platform/database/tell-journal.js'
import type { Environment } from '../../platform/http/context.js'
import { hashKey } from '../../platform/security/authentication.js'
import { KEY_PREFIX, type KeyKind } from '../../platform/security/key-prefix.js'

/** The number of random digits that stand in lists and name the key. */
const PUBLIC_DIGITS = 12

export interface NewKey {
  team: TeamId
  role: Role
  kind?: KeyKind
  alias?: string
  /** The addresses or CIDR ranges that may use the key; with none, any address may. */
  ips?: string[]
  expires?: Date
  createdBy?: number
  /** It ends with its creator's part in the team. */
  isTemporary?: boolean
}

/** Makes a key. The key is in the answer and nowhere else: what is stored is its SHA-256. */
export async function createApiKey(
  tx: Tx,
  { config, random }: Pick<Environment, 'config' | 'random'>,
  { team, role, kind = 'api', alias, ips = [], expires, createdBy, isTemporary = false }: NewKey,
): Promise<{ apiKey: string; publicPart: string }> {
  const prefix = KEY_PREFIX[kind][config.environment]
  const apiKey = `${prefix}${random.hex(32)}`
  const publicPart = apiKey.slice(0, prefix.length + PUBLIC_DIGITS)
  await tx
    .insertInto('api_keys')
    .values({
      team_id: team,
      hash: hashKey(apiKey),
      public_part: publicPart,
      role,
      ips,
      alias: alias ?? null,
      created_by: createdBy ?? null,
      expires: expires ?? null,
      kind,
      is_temporary: isTemporary,
    })
    .execute()
  return { apiKey, publicPart }
}

/** The facts of a key that may be told. */
export interface ListedKey {
  /** Its public part. */
  key: string
  kind: KeyKind
  team: TeamId
  teamName: string | null
  role: Role
  alias: string | null
  ips: string[]
  created: Date
  expires: Date | null
}

/** Returns the team with a number, or the oldest team where no number is given. */
export async function findTeam(reader: Reader, asked: number | undefined): Promise<TeamId | undefined> {
  let query = reader.selectFrom('teams').select('id').orderBy('id').limit(1)
  if (asked !== undefined) query = query.where(sql<SqlBool>`id = ${asked}`)
  return (await query.executeTakeFirst())?.id
}

/** Returns the keys that were not revoked, oldest first; asked as the system. */
export function listKeys(reader: Reader, team: TeamId | undefined): Promise<ListedKey[]> {
  let query = reader
    .selectFrom('api_keys as k')
    .innerJoin('teams as t', 't.id', 'k.team_id')
    .select(['k.public_part as key', 'k.kind', 'k.team_id as team', 't.name as teamName', 'k.role', 'k.alias', 'k.ips'])
    .select(['k.created', 'k.expires'])
    .where('k.revoked', 'is', null)
  if (team !== undefined) query = query.where('k.team_id', '=', team)
  return query.orderBy('k.id').execute()
}

/**
 * Revokes the keys with a public part from this moment on, on every replica.
 *
 * @returns their teams; an empty list where there is no such key
 */
export async function revokeKeys(tx: Tx, services: Journal, publicPart: string): Promise<TeamId[]> {
  const now = services.clock.now()
  const rows = await tx
    .updateTable('api_keys')
    .set({ revoked: now })
    .where('public_part', '=', publicPart)
    .where('revoked', 'is', null)
    .returning('team_id')
    .execute()
  for (const { team_id: team } of rows)
    await tx.audit({
      action: 'revokeKey',
      subject: publicPart,
      team,
      before: { revoked: false },
      after: { revoked: true },
    })
  if (rows.length > 0) await tellEndOfKeys(tx, services, [publicPart], now.toISOString())
  return rows.map((row) => row.team_id)
}

type Journal = Pick<Environment, 'config' | 'clock'>

/**
 * Adds the end of keys to the journal, which has it before any answer.
 *
 * @param ends ISO 8601; null: never
 */
export function tellEndOfKeys(
  tx: Tx,
  services: Journal,
  publicParts: readonly string[],
  ends: string | null,
): Promise<void> {
  return tellJournal(
    tx,
    services,
    publicParts.map((id) => ({ id, key: { ends } })),
  )
}
