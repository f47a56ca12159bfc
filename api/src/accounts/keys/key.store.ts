import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { lockByName } from '../../platform/database/lock-by-name.js'
import { isAtLeast, type Role } from '../../platform/database/tables.js'
import { ApiError, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import { holdStanding } from '../standing.js'
import { createApiKey, type NewKey, tellEndOfKeys } from './api-key.js'
import type { ApiKey } from './key.shape.js'

const columns = [
  'public_part',
  'kind',
  'role',
  'alias',
  'ips',
  'created',
  'created_by',
  'expires',
  'last_used',
  'is_temporary',
] as const

/** The most keys of a team that are in use at once. */
const MOST_KEYS = 1000

const opening = (reader: Reader, now: Date) =>
  reader
    .selectFrom('api_keys')
    .where('revoked', 'is', null)
    .where((where) => where.or([where('expires', 'is', null), where('expires', '>', now)]))

const inUse = (reader: Reader, team: TeamId, now: Date) => opening(reader, now).where('team_id', '=', team)

type Row = Awaited<ReturnType<typeof rowOf>>

const rowOf = (reader: Reader, team: TeamId, key: string, now: Date) =>
  inUse(reader, team, now).select(columns).where('public_part', '=', key).executeTakeFirstOrThrow()

const told = (row: Row): ApiKey => ({
  key: row.public_part,
  kind: row.kind,
  role: row.role,
  alias: row.alias,
  ips: row.ips,
  created: row.created.toISOString(),
  createdBy: row.created_by,
  expires: row.expires?.toISOString() ?? null,
  lastUsed: row.last_used?.toISOString() ?? null,
  temporary: row.is_temporary,
})

/** Returns the keys that open something, newest first. */
export async function keysOf(reader: Reader, team: TeamId, page: Page, now: Date): Promise<ApiKey[]> {
  const rows = await inUse(reader, team, now)
    .select(columns)
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  return rows.map(told)
}

/** The keys that a person made, or those with a role. */
export type KeysOf = { createdBy: number } | { role: Role }

/** Returns the lasting keys of a team and of its sub-accounts, as far as the transaction sees them, newest first. */
export async function lastingKeys(tx: Tx, team: TeamId, of: KeysOf, now: Date): Promise<KeyOfTeam[]> {
  const family = tx
    .selectFrom('teams')
    .select('id')
    .where((where) => where.or([where('id', '=', team), where('parent_id', '=', team)]))
  const rows = await opening(tx, now)
    .select(columns)
    .select('team_id')
    .where('team_id', 'in', family)
    .where('is_temporary', '=', false)
    .where('createdBy' in of ? sql<boolean>`created_by = ${of.createdBy}` : sql<boolean>`role = ${of.role}`)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ team_id, ...row }) => ({ team: team_id, key: told(row) }))
}

/** Returns the key with a public part, locked for the caller. @throws 404 where the team has none in use */
export async function lockKey(tx: Tx, ctx: Context, team: TeamId, key: string): Promise<ApiKey> {
  await holdStanding(tx, ctx)
  const now = ctx.clock.now()
  const row = await inUse(tx, team, now).select(columns).where('public_part', '=', key).forUpdate().executeTakeFirst()
  if (!row) throw notFound('Key')
  return told(row)
}

/** @throws 403 when the caller would handle a key that may do more than the caller */
export function refuseGreater({ principal }: Context, role: Role): void {
  if (!isAtLeast(principal.role, role))
    throw new ApiError('forbidden', `Your role is ${principal.role}: a key of the role ${role} is for those above`)
}

/**
 * Makes a key for a team, and its audit row.
 *
 * @throws 409 where the team has too many
 */
export async function makeKey(tx: Tx, ctx: Context, wanted: NewKey): Promise<ApiKey & { jwt: string }> {
  const { team } = wanted
  const now = ctx.clock.now()
  await holdStanding(tx, ctx)
  // Those who make one at the same time wait for each other.
  await lockByName(tx, `service.api_keys ${team}`)
  const { count } = await inUse(tx, team, now)
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= MOST_KEYS) throw new ApiError('too_many', `A team has ${MOST_KEYS} keys at most: revoke some`)
  const { userId } = ctx.principal
  const by = userId === undefined ? {} : { createdBy: userId }
  const { apiKey, publicPart } = await createApiKey(tx, ctx, { ...by, ...wanted })
  const made = told(await rowOf(tx, team, publicPart, now))
  await tx.audit({ action: 'createKey', subject: made.key, team, after: factsOf(made) })
  return { ...made, jwt: apiKey }
}

/** The facts of a key for the audit; its alias is a text of people. */
const factsOf = ({ kind, role, ips, expires, alias }: ApiKey) => ({ kind, role, ips, expires, alias })

export type KeyChange = Partial<{ alias: string | null; ips: string[]; expires: Date | null }>

/** Changes a key; a restored copy learns of its new end from the journal. */
export async function changeKey(
  tx: Tx,
  ctx: Context,
  team: TeamId,
  { before, change }: { before: ApiKey; change: KeyChange },
): Promise<ApiKey> {
  const { key } = before
  const now = ctx.clock.now()
  await tx
    .updateTable('api_keys')
    .set(change)
    .where('team_id', '=', team)
    .where('public_part', '=', key)
    .where('revoked', 'is', null)
    .execute()
  const after = told(await rowOf(tx, team, key, now))
  if (after.expires !== before.expires) await tellEndOfKeys(tx, ctx, [key], after.expires)
  await tx.audit({ action: 'updateKey', subject: key, team, before: factsOf(before), after: factsOf(after) })
  return after
}

/** A key with its team. */
export interface KeyOfTeam {
  team: TeamId
  key: ApiKey
}

/** Ends keys for good: they open nothing a second later, on any replica, nor in a copy of the database from before. */
export async function endKeys(tx: Tx, ctx: Context, ended: readonly KeyOfTeam[]): Promise<void> {
  const now = ctx.clock.now()
  for (const { team, key } of ended) {
    tx.defer(
      tx
        .updateTable('api_keys')
        .set({ revoked: now })
        .where('team_id', '=', team)
        .where('public_part', '=', key.key)
        .where('revoked', 'is', null),
    )
    await tx.audit({ action: 'revokeKey', subject: key.key, team, before: factsOf(key) })
  }
  const publicParts = ended.map(({ key }) => key.key)
  await tellEndOfKeys(tx, ctx, publicParts, now.toISOString())
}
