import { sql } from 'kysely'
import type { Reader, Tx } from '../../platform/database/database.js'
import type { TeamId } from '../../platform/database/ids.js'
import type { Role } from '../../platform/database/tables.js'
import { tellJournal } from '../../platform/database/tell-journal.js'
import { notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import type { Page } from '../../platform/http/pagination.js'
import { holdStanding } from '../standing.js'
import { memberResource } from './team.events.js'
import type { TeamMember } from './team.shape.js'

const memberships = (reader: Reader, userId: number, team: number) =>
  reader
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['t.id as team', 'm.role'])
    .where('m.user_id', '=', userId)
    .where(sql<boolean>`m.team_id = ${team}`)
    .where('t.closed', 'is', null)

/** Returns the part that a person has in a team; asked as the system. */
export const membershipOf = (
  reader: Reader,
  userId: number,
  team: number,
): Promise<{ team: TeamId; role: Role } | undefined> => memberships(reader, userId, team).executeTakeFirst()

/** Holds the part that a person has in a team until the transaction ends; undefined where there is none. */
export function holdMembership(tx: Tx, userId: number, team: number) {
  return memberships(tx, userId, team).forKeyShare('m').executeTakeFirst()
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

/**
 * Locks people of a team, and the caller among them, in one order: two who change each other wait for each other.
 *
 * @throws 404 where the team has not all of them; 401 or 403 where the caller may not do it any more
 */
export async function lockMembers(tx: Tx, ctx: Context, userIds: readonly number[]): Promise<TeamMember[]> {
  const own = ctx.principal.userId
  const locked = await members(tx, ctx.team)
    .where('m.user_id', 'in', [...userIds, ...(own === undefined ? [] : [own])])
    .orderBy('m.user_id')
    .forUpdate('m')
    .execute()
  await holdStanding(tx, ctx)
  return userIds.map((userId) => {
    const member = locked.find(({ id }) => id === userId)
    if (!member) throw notFound('Member')
    return member
  })
}

/** The same for one person. */
export async function lockMember(tx: Tx, ctx: Context, userId: number): Promise<TeamMember> {
  const [member] = await lockMembers(tx, ctx, [userId])
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

/** Takes a person out of a team: the journal has it before any answer, so that a restored copy learns of it. */
export async function removeMember(tx: Tx, ctx: Context, team: TeamId, userId: number): Promise<void> {
  const { teamMade, personMade, joined } = await tx
    .selectFrom('teams as t')
    .innerJoin('team_members as m', 'm.team_id', 't.id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['t.created as teamMade', 'u.created as personMade'])
    // To the microsecond, which names the row.
    .select(sql<string>`to_json(m.joined) #>> '{}'`.as('joined'))
    .where('m.team_id', '=', team)
    .where('m.user_id', '=', userId)
    .executeTakeFirstOrThrow()
  tx.defer(tx.deleteFrom('team_members').where('team_id', '=', team).where('user_id', '=', userId))
  const member = {
    team: { number: Number(team), created: teamMade.toISOString() },
    person: { number: userId, created: personMade.toISOString() },
    joined,
  }
  await tellJournal(tx, ctx, [{ id: ctx.random.uuid(), member }])
}

export async function isMemberWith(reader: Reader, team: TeamId, email: string): Promise<boolean> {
  const found = await members(reader, team).where(sql<string>`lower(u.email)`, '=', email).limit(1).executeTakeFirst()
  return found !== undefined
}
