import { sql } from 'kysely'
import type { Reader, TeamScope, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import { isAtLeast, type Role } from '../../platform/database/tables.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import { appendToJournal } from '../../platform/process/erasure-journal.js'
import type { ApiKey } from '../keys/key.shape.js'
import { endKey, lastingKeys } from '../keys/key.store.js'
import { memberResource } from './team.events.js'
import type { TeamMember } from './team.shape.js'

/** Returns the part that a person has in a team; asked as the system. */
export function membershipOf(
  reader: Reader,
  userId: number,
  team: number,
): Promise<{ team: TeamId; role: Role } | undefined> {
  return reader
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['t.id as team', 'm.role'])
    .where('m.user_id', '=', userId)
    .where(sql<boolean>`m.team_id = ${team}`)
    .where('t.closed', 'is', null)
    .executeTakeFirst()
}

const members = (reader: Reader, team: TeamId) =>
  reader
    .selectFrom('team_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'u.email', 'u.image', 'm.role'])
    .where('m.team_id', '=', team)

/** Returns the people of a team, those who joined last first. */
export function membersOf(reader: Reader, team: TeamId, { offset, limit }: Page): Promise<TeamMember[]> {
  return members(reader, team).orderBy('m.joined', 'desc').orderBy('u.id', 'desc').offset(offset).limit(limit).execute()
}

/** Returns a person of a team, locked. @throws 404 where the team has no such person */
export async function lockMember(tx: Tx, team: TeamId, userId: number): Promise<TeamMember> {
  const member = await members(tx, team).where('m.user_id', '=', userId).forUpdate('m').executeTakeFirst()
  if (!member) throw notFound('Member')
  return member
}

/** Gives a person another role than `before`, and tells the team's web hooks. */
export async function setRole(
  tx: Tx,
  team: TeamId,
  { id, before, role }: { id: number; before: Role; role: Role },
): Promise<void> {
  if (role === before) return
  await tx.updateTable('team_members').set({ role }).where('team_id', '=', team).where('user_id', '=', id).execute()
  await tx.emit('team_member_update', { id, role, formerRole: before }, team, memberResource(id))
}

/** The scope of a change in a team that reaches the temporary keys of its people in its sub-accounts. */
export async function familyScope({ db, scope, team }: Context): Promise<TeamScope> {
  const children = await db.read(scope, (reader) =>
    reader.selectFrom('teams').select('id').where('parent_id', '=', team).execute(),
  )
  return { ...scope, teams: [team, ...children.map(({ id }) => id)] }
}

/** Takes a person out of a team: the journal has it before any answer, so that a restored copy learns of it. */
export async function removeMember(tx: Tx, ctx: Context, team: TeamId, userId: number): Promise<void> {
  const { teamMade, personMade } = await tx
    .selectFrom('teams as t')
    .innerJoin('team_members as m', 'm.team_id', 't.id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['t.created as teamMade', 'u.created as personMade'])
    .where('m.team_id', '=', team)
    .where('m.user_id', '=', userId)
    .executeTakeFirstOrThrow()
  tx.defer(tx.deleteFrom('team_members').where('team_id', '=', team).where('user_id', '=', userId))
  await appendToJournal(ctx.config.erasureJournalFile, {
    id: ctx.random.uuid(),
    at: ctx.clock.now().toISOString(),
    member: {
      team: { number: Number(team), created: teamMade.toISOString() },
      person: { number: userId, created: personMade.toISOString() },
    },
  })
}

/** Ends what a person holds by the present role: temporary keys, and invitations that nobody accepted yet. */
export async function endHoldings(tx: Tx, userId: number, now: Date): Promise<void> {
  tx.defer(
    tx
      .updateTable('api_keys')
      .set({ revoked: now })
      .where('created_by', '=', userId)
      .where('is_temporary', '=', true)
      .where('revoked', 'is', null),
  )
  tx.defer(
    tx
      .updateTable('team_invitations')
      .set({ status: 'canceled' })
      .where('invited_by', '=', userId)
      .where('status', '=', 'pending'),
  )
}

/** Returns the keys of concern that stay; revokes those that the caller may, where that is wanted. */
export async function keysThatStay(
  tx: Tx,
  ctx: Context,
  { isOfConcern, revokeKeys }: { isOfConcern: (key: ApiKey) => boolean; revokeKeys: boolean },
): Promise<ApiKey[]> {
  const now = ctx.clock.now()
  const keys = (await lastingKeys(tx, ctx.team, now)).filter(isOfConcern)
  const ended = revokeKeys ? keys.filter(({ role }) => isAtLeast(ctx.principal.role, role)) : []
  for (const key of ended) await endKey(tx, ctx, ctx.team, key)
  return keys.filter((key) => !ended.includes(key))
}

export async function isMemberWith(reader: Reader, team: TeamId, email: string): Promise<boolean> {
  const found = await members(reader, team).where(sql<string>`lower(u.email)`, '=', email).limit(1).executeTakeFirst()
  return found !== undefined
}
